import Foundation
public import Ingestion
import Postgres

/// An entry as a unit of work, which lanes store, and the answer to its request.
///
/// An entry does not wait in the spool: its files would have to be kept from the sweeper for as long
/// as the database is unreachable. Only an entry that is committed, or may be, goes there: when a
/// failover may have lost it, or its COMMIT was not answered. Its files are young until then
/// (``MediaConfiguration/graceTime``).
public struct JournalRecord: Sendable {
    /// How lanes store entries.
    public static let unitKind = UnitKind(
        name: "journal_entry",
        statement: "SELECT place, result FROM sluice.store_journal_entries($1, $2, $3)",
        mayWaitInSpool: false)

    /// The unit to commit.
    public let unit: WorkUnit
    /// The file's id for a profile picture, which has no record.
    let id: String
    private let entry: JournalEntry
    private let groupID: String?
    /// Milliseconds since 1970.
    private let createdAt: Int64

    /// - Parameter now: milliseconds since 1970.
    init(_ entry: JournalEntry, user: String, now: Int64) throws {
        let picture = entry.kind == .profilePicture ? entry.files.first : nil
        id = picture?.id ?? Journal.freshID()
        self.entry = entry
        groupID = entry.groupID
        createdAt = entry.fields.createdAt ?? now
        let row = JournalRow(entry, id: id, user: user, groupID: groupID, createdAt: createdAt)
        let payload = try JournalRow.encoder.encode(row)
        unit = WorkUnit(
            kind: Self.unitKind, owner: user, payload: String(decoding: payload, as: UTF8.self))
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

    init(_ entry: JournalEntry, id: String, user: String, groupID: String?, createdAt: Int64) {
        let fields = entry.fields
        self.id = id
        self.user = user
        kind = entry.kind.rawValue
        (mood, title, note, reason) = (fields.mood, fields.title, fields.note, fields.reason)
        (description, location) = (fields.description, fields.location)
        (category, groupId, date) = (fields.category, groupID, fields.date?.text)
        starts = fields.date?.moment
        created = (createdAt - 946_684_800_000) * 1000
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
    fileprivate var voiceNoteDuration: Double? {
        files.first { $0.role == .voiceNote }
            .flatMap { fields.voiceNoteDuration ?? $0.facts.duration }
    }
}

extension JournalRecord {
    /// The answer to the create request: JSON in the shapes of ``JournalQueries``, which it does not
    /// need. So an entry is answered as soon as its unit is committed, whatever happens to the
    /// database then.
    ///
    /// - Parameters:
    ///   - filesURL: the URL that a file's id is appended to.
    ///   - errors: the entry's problems as messages for people.
    public func answer(filesURL: String, errors: [String]) throws -> String {
        let errors = errors.isEmpty ? nil : errors
        let pictures = entry.files.filter { $0.role != .voiceNote }
        let urls = pictures.map { filesURL + $0.id }
        var answer = Self.object(["success": true])
        switch entry.kind {
        case .upload:
            answer["files"] = entry.files.map { file in
                ["data": uploaded(file, url: filesURL + file.id)]
            }
            answer["count"] = entry.files.count
            answer.merge(Self.object(["groupId": groupID, "errors": errors])) { $1 }
        case .mood, .keepsake, .calendarEntry:
            var record = Self.object(members(filesURL))
            record["id"] = id
            record["createdAt"] = createdAt
            record["tags"] = entry.fields.tags
            record["imageUrls"] = urls
            record["files"] = pictures.map { file in
                Self.object(
                    ["url": filesURL + file.id].merging(Self.facts(of: file)) { $1 })
            }
            answer[JournalQueries.table(entry.kind).word] = record
            answer.merge(Self.object(["imageUrls": urls, "errors": errors])) { $1 }
        case .profilePicture:
            answer["message"] = "Profile picture updated successfully"
            answer["imageUrl"] = filesURL + id
        }
        let json = try JSONSerialization.data(
            withJSONObject: answer, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: json, as: UTF8.self)
    }

    /// The members of one kind of record.
    private func members(_ filesURL: String) -> [String: Any?] {
        let fields = entry.fields
        switch entry.kind {
        case .mood:
            let voiceNote = entry.files.first { $0.role == .voiceNote }
            return [
                "mood": fields.mood, "note": fields.note, "reason": fields.reason,
                "interests": fields.interests, "moodIntensity": fields.moodIntensity,
                "voiceNote": voiceNote.map { filesURL + $0.id },
                "voiceNoteDuration": entry.voiceNoteDuration,
            ]
        case .keepsake:
            return [
                "title": fields.title, "description": fields.description,
                "location": fields.location,
            ]
        case .calendarEntry:
            return [
                "title": fields.title, "description": fields.description,
                "location": fields.location, "date": fields.date?.text,
            ]
        case .upload, .profilePicture:
            preconditionFailure("BUG: \(entry.kind) has no record")
        }
    }

    private func uploaded(_ file: JournalUpload, url: String) -> [String: Any] {
        let fields = entry.fields
        let members: [String: Any?] = [
            "url": url, "appUrl": url, "key": file.id, "category": fields.category,
            "title": fields.title, "description": fields.description, "tags": fields.tags,
            "groupId": groupID, "createdAt": createdAt,
        ]
        return Self.object(members.merging(Self.facts(of: file)) { $1 })
    }

    private static func facts(of file: JournalUpload) -> [String: Any?] {
        [
            "fileId": file.id, "name": file.name, "size": file.object.bytes,
            "type": file.type.rawValue, "width": file.facts.width, "height": file.facts.height,
            "duration": file.facts.duration,
        ]
    }

    /// nil becomes null.
    private static func object(_ members: [String: Any?]) -> [String: Any] {
        members.mapValues { $0 ?? NSNull() }
    }
}

/// Deletions. Each runs in the caller's transaction.
extension JournalRecord {
    /// Lets the transactions that delete a user's files take turns, because they lock rows of
    /// several tables in no fixed order. Replacing a profile picture deletes a file too. Call it
    /// first in a transaction.
    private static func takeTurn(
        of user: String, on connection: Connection
    ) throws(PostgresError) {
        _ = try connection.query(
            "select pg_advisory_xact_lock(hashtextextended('journal ' || $1, 0))", texts(user))
    }

    /// - Returns: whether the user had such a record.
    static func remove(
        _ kind: JournalKind, id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        try takeTurn(of: user, on: connection)
        let table = JournalQueries.table(kind)
        let removed = try connection.query(
            "delete from sluice.\(table.name) where \(table.key) = $1 and user_id = $2",
            texts(id, user))
        guard removed.affectedCount > 0 else { return false }
        _ = try connection.query(
            """
            select sluice.remove_journal_files(array(
                select file_id from sluice.journal_file where record_id = $1))
            """, texts(id))
        return true
    }

    /// - Returns: whether the user had such a file.
    static func removeFile(
        _ id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        try takeTurn(of: user, on: connection)
        let rows = try connection.query(
            """
            select u.upload_id from sluice.upload u
            join sluice.journal_file f on f.record_id = u.upload_id
            where f.file_id = $1 and f.user_id = $2
            """, texts(id, user))
        let removed = try connection.query(
            """
            select sluice.remove_journal_files(array(
                select file_id from sluice.journal_file where file_id = $1 and user_id = $2))
            """, texts(id, user))
        guard removed.int64(0, 0) > 0 else { return false }
        if rows.count == 1 {
            _ = try connection.query(
                """
                delete from sluice.upload where upload_id = $1
                    and not exists (select from sluice.journal_file where record_id = $1)
                """, texts(rows.string(0, 0)))
        }
        return true
    }

    private static func texts(_ texts: String?...) -> Parameters {
        var parameters = Parameters()
        for text in texts { parameters.append(text: text) }
        return parameters
    }
}

/// JSON from PostgreSQL's functions without the spaces between its tokens: `{"a" : 1}` becomes
/// `{"a":1}`, as in all other answers.
enum CompactJSON {
    /// - Parameter json: valid JSON; its strings are not changed.
    static func text(_ json: String) -> String {
        var json = json
        return json.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { compact in
                var count = 0
                var inString = false
                var isEscaped = false
                for byte in bytes {
                    if inString {
                        inString = isEscaped || byte != UInt8(ascii: "\"")
                        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                    } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                        continue
                    } else {
                        inString = byte == UInt8(ascii: "\"")
                    }
                    compact[count] = byte
                    count += 1
                }
                return count
            }
        }
    }
}

/// A file of the journal, from its rows.
public struct JournalFile: Sendable {
    /// 32 hexadecimal digits.
    public let id: String
    /// The user who owns it.
    public let user: String
    /// The row that it is served from: content type, length and tag.
    public let media: MediaFile
    /// The name for display. It must not be used as a path.
    public let name: String
    /// Pixels, after the rotation that the file asks for; nil when unknown, and for sound.
    public let width: Int?
    /// Pixels, after the rotation that the file asks for; nil when unknown, and for sound.
    public let height: Int?

    static func find(
        _ id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> JournalFile? {
        var parameters = Parameters()
        parameters.append(text: id)
        parameters.append(text: user)
        let rows = try connection.query(
            keeping: """
                select name, width, height from sluice.journal_file f
                where file_id = $1 and user_id = $2 and (kind <> 'profile_picture' or exists (
                    select from sluice.profile_picture p where p.file_id = f.file_id))
                """, parameters)
        guard rows.count > 0, let path = MediaPath("journal/\(id)"),
            let media = try MediaCatalog.find(path, on: connection)
        else { return nil }
        return JournalFile(
            id: id, user: user, media: media, name: rows.string(0, 0),
            width: rows.isNull(0, 1) ? nil : Int(rows.int32(0, 1)),
            height: rows.isNull(0, 2) ? nil : Int(rows.int32(0, 2)))
    }
}
