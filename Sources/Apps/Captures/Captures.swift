/// Memory captures: from a text frame to a unit of work and back, and what may be read of a user.
///
/// ```
///  frame ─ CaptureFrame.decode ─▶ Capture ─ unit(user:receivedAt:) ─▶ lanes ─▶ sluice.store_captures
///    ▲                              │                                              │ same commit
///    └── CaptureReply ◀── outcome ──┘                                      job capture.analyse
/// ```
///
/// **A capture** is known by its user and its id. Sent again it is
/// acknowledged again; one row stays, with the form that was acknowledged last, and it is analysed
/// again only when its content changed. A form that the spool brings late does not replace one that
/// was received after it; ``UnitKind`` has the rule.
///
/// **Frames** are read strictly (RFC 8259, UTF-8, no key of ours twice) by a reader of their own in
/// one pass, about a microsecond each; Foundation's takes many times that on the event loop.
///
/// **Limits:** id 1–128 characters of `A-Z a-z 0-9 - _ .`, no dot in front, since it names files;
/// URLs http or https, 2 KiB; transcription 32 KiB; nothing contains U+0000; 64 levels of JSON. The
/// frame as a whole is limited by whoever reads the socket. An optional field that is null or the
/// empty string is absent.
///
/// **Reading** is one statement a route; PostgreSQL puts the JSON together.
enum Captures {}
