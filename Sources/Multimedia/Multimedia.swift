/// The journal: uploads, moods with voice notes, memories (here: keepsakes), events (here: calendar
/// entries) and profile pictures, each a record with files.
///
/// ```
/// chunk ─▶ JournalIntake ─▶ fields ─▶ JournalForm ─────────────┐
///               │                                              ├─▶ JournalEntry ─▶ JournalLibrary.commit
///               └─ files ─▶ MediaWriter ─▶ FileInspection ─────┘      (one transaction: record, files)
///                                          location out, facts in
/// ```
/// A file goes into the media store while it comes; before its digest is taken it is inspected once:
/// coordinates are overwritten in place unless the caller keeps them (``LocationEraser``), size and
/// duration are read (``ImageFacts``: libgexiv2, ``MediaFacts``: libavformat). Types are what the
/// bytes are.
///
/// Libraries in C that read files of strangers never do so in the server's process, but in one that
/// is started for the file and has limits (``Inspector``): facts of pictures, films and recordings,
/// thumbnails, and the facts of captures' photos, too.
///
/// ## Promises
/// - A record, its files' rows and the names of their objects are one transaction, committed before
///   the answer. Nothing of a failed or killed request is ever seen; what it left in the store goes
///   with a sweep.
/// - No lane and no spool: a spooled record would have to keep its files from the sweeper for as
///   long as the database is away. While it is away creates fail, and say so.
/// - What is served has no coordinates that the formats' own metadata say, unless `keepLocation`:
///   see ``LocationEraser`` for where it looks.
/// - An id is 128 random bits; who has it may read the file.
///
/// ## Limits
/// 10 files a request of 50 MiB (a voice note 25 MiB, a profile picture 10 MiB), 64 parts, 64 MiB of
/// parts that are thrown away; texts as ``JournalField`` says. Metadata that is looked at: 16 MiB a
/// file. Thumbnails: sources of 50 million pixels, six widths. Processes: four for facts (256 MiB, 5 s
/// of a processor, 30 s), two for thumbnails (768 MiB, 10 s, 60 s), of which one user has one.
///
/// ## Full
/// A full store fails the request. With 32 thumbnails of a user waiting, or 256 in all, the next
/// asker is told to come again.
///
/// ## What a crash leaves
/// Objects without names, which the sweeper takes after the grace time. A lost answer to a commit
/// leaves a record that the client may send again: records have no key of the client's.
public enum Multimedia {
    /// A name for a record or a file: 32 hexadecimal digits of 128 random bits.
    static func freshID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Whether a text may be such a name.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
