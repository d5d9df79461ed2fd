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
/// is lost, the record exists and the client may send it again as a second record, because records
/// have no key from the client.
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

/// Limits of the journal, all inclusive. The defaults are the contract's.
public struct JournalConfiguration: Sendable {
    /// The most bytes of an image or a video. Default 50 MiB.
    public var fileBytesMax = 50 << 20
    /// The most bytes of a voice note. Default 25 MiB.
    public var voiceNoteBytesMax = 25 << 20
    /// The most bytes of a profile picture. Default 10 MiB.
    public var profilePictureBytesMax = 10 << 20
    /// The most files of one request, including the voice note. Default 10.
    public var filesMax = 10
    /// The most parts of one request, known and unknown. Default 64.
    public var partsMax = 64
    /// The most bytes of rejected files and unknown parts that a request may send and that are
    /// discarded, so that the files after them still arrive. More ends the request. Default 64 MiB.
    public var discardedBytesMax = 64 << 20
    /// The most pixels of an image that a thumbnail is made of. Each pixel takes four to ten bytes
    /// of memory. Default 50 million.
    public var thumbnailPixelsMax = 50_000_000

    /// The defaults.
    public init() {}

    /// The most bytes of a request's body: files, discarded bytes, and 4 MiB for fields and the
    /// text between parts.
    var bodyBytesMax: Int {
        filesMax * max(fileBytesMax, voiceNoteBytesMax) + discardedBytesMax + (4 << 20)
    }
}

/// What a request creates. Two kinds have other names here than in the apps, where "memory" also
/// means a capture and "event" also a reading.
public enum JournalKind: String, Sendable, CaseIterable {
    /// Files with a category.
    case upload = "upload"
    /// A person's mood, with images and a voice note.
    case mood = "mood"
    /// The apps' "memory".
    case keepsake = "keepsake"
    /// The apps' "event".
    case calendarEntry = "calendar_entry"
    /// The picture of a user, who has at most one.
    case profilePicture = "profile_picture"

    /// Whether a request without a file is rejected.
    var needsFile: Bool {
        switch self {
        case .upload, .profilePicture: true
        case .mood, .keepsake, .calendarEntry: false
        }
    }

    /// The fields of its form.
    var fields: Set<JournalField> {
        switch self {
        case .upload: [.keepLocation, .category, .title, .description, .tags, .groupID]
        case .mood:
            [
                .keepLocation, .mood, .note, .reason, .tags, .interests, .moodIntensity, .createdAt,
                .voiceNoteDuration,
            ]
        case .keepsake: [.keepLocation, .title, .description, .tags, .location, .createdAt]
        case .calendarEntry: [.keepLocation, .title, .date, .description, .location, .tags]
        case .profilePicture: [.keepLocation]
        }
    }
}
