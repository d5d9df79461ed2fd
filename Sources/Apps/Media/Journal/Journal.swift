import Encodings

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
public enum Journal {
    /// A name for a record or a file: 32 hexadecimal digits of 128 random bits.
    static func freshID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in Hexadecimal.text(generator.next()) }.joined()
    }

    /// Whether a text may be such a name.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

/// Limits of the journal; all inclusive. The defaults are the contract's.
public struct JournalConfiguration: Sendable {
    /// Of an image or a video. Default 50 MiB.
    public var fileBytesMax = 50 << 20
    /// Of a voice note. Default 25 MiB.
    public var voiceNoteBytesMax = 25 << 20
    /// Of a profile picture. Default 10 MiB.
    public var profilePictureBytesMax = 10 << 20
    /// Files of one request, the voice note included. Default 10.
    public var filesMax = 10
    /// Parts of one request, known and unknown. Default 64.
    public var partsMax = 64
    /// Bytes of refused files and of unknown parts that a request may go on sending, so that the
    /// files after them still arrive. More ends the request. Default 64 MiB.
    public var discardedBytesMax = 64 << 20
    /// Of an image that a thumbnail is made of; each takes four to ten bytes meanwhile. Default 50
    /// million.
    public var thumbnailPixelsMax = 50_000_000

    /// The defaults.
    public init() {}

    /// More than any request may send: what is around the parts counts too.
    var bodyBytesMax: Int {
        filesMax * max(fileBytesMax, voiceNoteBytesMax) + discardedBytesMax + (4 << 20)
    }
}

/// What a request creates. Two of them have other names in the apps, where "memory" also means a
/// capture and "event" also a reading.
public enum JournalKind: String, Sendable, CaseIterable {
    /// Files with a category.
    case upload = "upload"
    /// How somebody feels, with images and a voice note.
    case mood = "mood"
    /// The apps' "memory".
    case keepsake = "keepsake"
    /// The apps' "event".
    case calendarEntry = "calendar_entry"
    /// The one picture of a user.
    case profilePicture = "profile_picture"

    /// Whether a request without a file creates nothing.
    var needsFile: Bool {
        switch self {
        case .upload, .profilePicture: true
        case .mood, .keepsake, .calendarEntry: false
        }
    }

    /// The fields that its form has.
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
