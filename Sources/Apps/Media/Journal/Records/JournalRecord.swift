import Encodings
import Foundation
public import Ingest
import Inspections

/// An entry as a unit of work, which lanes store, and the answer to its request.
///
/// An entry does not wait in the spool: its files would have to be kept from the sweeper for as
/// long as the database is unreachable. Only an entry that is committed, or may be, goes there:
/// when a failover may have lost it, or its COMMIT was not answered. Its files are young until then
/// (``MediaConfiguration/graceTime``).
public struct JournalRecord: Sendable {
    /// How lanes store entries.
    public static let unitKind = UnitKind(
        name: "journal_entry",
        statement: IdempotencyKey.compared("sluice.store_journal_entries($1, $2, $3)"),
        mayWaitInSpool: false)

    /// The unit to commit.
    public let unit: WorkUnit
    /// The file's id for a profile picture, which has no record.
    let id: String
    let entry: JournalEntry
    let groupID: String?
    /// Milliseconds since 1970.
    let createdAt: Int64

    /// - Parameters:
    ///   - key: decides the id, except of a profile picture: the id of a file is a secret.
    ///   - now: milliseconds since 1970.
    init(_ entry: JournalEntry, user: String, key: IdempotencyKey?, now: Int64) throws {
        let picture = entry.kind == .profilePicture ? entry.files.first : nil
        let keyed = key.map { Hexadecimal.text($0.id(of: entry.kind.rawValue, user: user)) }
        id = picture?.id ?? keyed ?? Journal.freshID()
        self.entry = entry
        groupID = entry.groupID
        createdAt = entry.fields.createdAt ?? now
        let row = JournalRow(
            entry, id: id, user: user, groupID: groupID, createdAt: createdAt,
            request: keyed.map { _ in IdempotencyKey.fingerprint(of: JournalContent(entry)) })
        let payload = try JournalRow.encoder.encode(row)
        unit = WorkUnit(
            kind: Self.unitKind, owner: user, payload: String(decoding: payload, as: UTF8.self))
    }

    /// Microseconds since 2000 UTC of milliseconds since 1970.
    static func microseconds(_ milliseconds: Int64) -> Int64 {
        (milliseconds - 946_684_800_000) * 1000
    }
}

/// What a request says, without what is made for it: the same each time that it is sent.
private struct JournalContent: Encodable {
    struct File: Encodable {
        let digest: String
        let name: String
        let isVoiceNote: Bool
    }

    let kind: String
    let fields: JournalFields
    let files: [File]

    init(_ entry: JournalEntry) {
        kind = entry.kind.rawValue
        fields = entry.fields
        files = entry.files.map {
            File(
                digest: $0.object.digest.hex, name: $0.name, isVoiceNote: $0.role == .voiceNote)
        }
    }
}

/// The payload of an entry's unit, as `sluice.store_journal_entries` reads it. Times are
/// microseconds since 2000 UTC, durations seconds.
private struct JournalRow: Encodable {
    struct File: Encodable {
        let id: String
        let object: String
        let digest: String
        let bytes: Int
        let type: String
        let name: String
        let isVoiceNote: Bool
        let width: Int?
        let height: Int?
        let duration: Double?

        init(_ file: JournalUpload) {
            id = file.id
            object = file.object.name.text
            digest = file.object.digest.hex
            bytes = file.object.bytes
            type = file.type.rawValue
            name = file.name
            isVoiceNote = file.role == .voiceNote
            (width, height) = (file.facts.width, file.facts.height)
            duration = file.facts.duration
        }
    }

    let id: String
    let user: String
    let kind: String
    let mood, title, note, reason, description, location, category, date: String?
    let groupId: String?
    let starts: Int64?
    let created: Int64
    let tags, interests: [String]
    let intensity: Int?
    let voiceNoteDuration: Double?
    let files: [File]
    let request: String?

    init(
        _ entry: JournalEntry, id: String, user: String, groupID: String?, createdAt: Int64,
        request: String?
    ) {
        self.request = request
        let fields = entry.fields
        self.id = id
        self.user = user
        kind = entry.kind.rawValue
        (mood, title, note, reason) = (fields.mood, fields.title, fields.note, fields.reason)
        (description, location) = (fields.description, fields.location)
        (category, groupId, date) = (fields.category, groupID, fields.date?.text)
        starts = fields.date?.moment
        created = JournalRecord.microseconds(createdAt)
        (tags, interests, intensity) = (fields.tags, fields.interests, fields.moodIntensity)
        voiceNoteDuration = entry.voiceNoteDuration
        files = entry.files.map(File.init)
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
    }
}

extension JournalEntry {
    /// Seconds; nil without a voice note.
    var voiceNoteDuration: Double? {
        files.first { $0.role == .voiceNote }
            .flatMap { fields.voiceNoteDuration ?? $0.facts.duration }
    }
}
