/// Memory captures: decodes a text frame into a unit of work, answers it, and serves what users
/// read.
///
/// ```
///  frame ─ CaptureFrame.decode ─▶ Capture ─ unit(user:receivedAt:) ─▶ lanes ─▶ sluice.store_captures
///    ▲                              │                                              │ same commit
///    └── CaptureReply ◀── outcome ──┘                                      job capture.analyse
/// ```
///
/// **A capture** is identified by its user and its id. If it is sent again, it is acknowledged
/// again. One row stays, with the version that was acknowledged last, and it is analysed again only
/// if its content changed. A version that comes late from the spool does not replace one that was
/// received after it; ``UnitKind`` has the rule.
///
/// **Frames** are read strictly (RFC 8259, UTF-8, none of our keys twice) by ``JSONReader`` in one
/// pass. That takes about a microsecond a frame; Foundation's decoder takes many times that on the
/// event loop.
///
/// **Limits:** ids have 1–128 characters of `A-Z a-z 0-9 - _ .` and do not begin with a dot,
/// because they name files; URLs are http or https and at most 2 KiB; a transcription is at most 32
/// KiB; no text contains U+0000; JSON has at most 64 levels. The code that reads the socket limits
/// the frame as a whole. An optional field that is null or the empty string counts as absent.
///
/// **Reading** is one statement a route, two for `POST /init-user`; PostgreSQL builds the JSON.
public enum Captures {
    /// The zone of the days of users of whom nobody has said one.
    public static let defaultTimeZone = "America/New_York"
}
