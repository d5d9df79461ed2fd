import Encodings
import Inspections

/// The journal: uploads, moods with voice notes, memories (here: keepsakes), events (here: calendar
/// entries) and profile pictures. Each is a record with files.
///
/// ```
/// chunk ─▶ JournalIntake ─▶ fields ─▶ JournalForm ─────────────┐
///               │                                              ├─▶ JournalEntry ─▶ JournalRecord ─▶ a lane
///               └─ files ─▶ MediaWriter ─▶ FileInspection ─────┘      (one unit: record, files)
///                                          location out, facts in
/// ```
/// A file is written to the media store as it arrives. Before its digest is computed it is
/// inspected once: what may name a place is overwritten unless the caller keeps it, and size and
/// duration are read. File types are detected from content.
///
/// Nothing that reads the structure of untrusted files runs in the server's process. Each file gets
/// a process of its own with limits (``Inspector``), which reports the facts and the changes to be
/// made (``FileReport``). This also holds for thumbnails, and for the facts of captures' files.
///
/// ## Promises
/// - A record, its files' rows and the names of their objects are one unit of work. A lane commits
///   it before the answer. Nothing of a failed or killed request is ever visible; a sweep removes
///   what it left in the store.
/// - A committed entry outlasts a failover, like every unit (``Ingestion``). An entry that the
///   database does not take is refused, not spooled: its files would have to be kept from the
///   sweeper for as long as the database is unreachable.
/// - Served files name no place outside of what they show and tell, unless `keepLocation` is set. A
///   file of which that can't be said is refused. `LocationEraser` lists what stays.
/// - An id is 128 random bits. Anyone who knows a file's id and its user's may read the file.
///
/// ## Limits
/// A request: 10 files of 50 MiB each (a voice note 25 MiB, a profile picture 10 MiB), 64 parts and
/// 64 MiB of discarded parts. ``JournalField`` has the limits of texts. Thumbnails: sources of 50
/// million pixels, six widths. Processes: four for reports (256 MiB, 5 s of processor time, 30 s),
/// and two for thumbnails (768 MiB, 10 s, 60 s); one user gets one fewer of each. The files of one
/// user may take 300 s of processor time in an hour.
///
/// ## Full
/// When the store is full, the request fails. When 32 requests of a user wait for a process, or 256
/// in all for thumbnails and 1024 for reports, the next one is refused and may be repeated later.
/// So is a request of a user whose processor time is used up.
///
/// ## What a crash leaves
/// Objects without names; the sweeper removes them after the grace time. If the answer to a commit
/// is lost, the record exists. A client that sends the request again with the same
/// `Idempotency-Key` gets it; without a key it makes a second record.
public enum Journal {
    /// Makes an id for a record or a file: 32 hexadecimal digits of 128 random bits.
    static func freshID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in Hexadecimal.text(generator.next()) }.joined()
    }

    /// Whether a text has the form of such an id.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
