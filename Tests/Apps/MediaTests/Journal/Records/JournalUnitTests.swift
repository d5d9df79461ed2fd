import Foundation
import Ingest
import Postgres
import TestSupport
import Testing

@testable import Media

/// Entries that a lane writes more than once or late, as after a lost answer or a failover.
@Suite(.timeLimit(.minutes(10)))
struct JournalUnitTests {
    private static let minute: Int64 = 60_000_000

    let journal: Journal
    let library: JournalLibrary

    init() throws {
        journal = try Journal()
        library = journal.library
    }

    private func record(
        _ kind: JournalKind, _ build: (inout FormBody) throws -> Void
    ) async throws -> JournalRecord {
        let entry = try await journal.read(kind, try FormBody.make(build))
        return try await library.record(entry, user: "u1")
    }

    private func picture(_ name: String) async throws -> JournalRecord {
        try await record(.profilePicture) { $0.file("file", try Corpus.bytes(name)) }
    }

    @discardableResult
    private func write(
        _ record: JournalRecord, receivedAt: Int64? = nil, isLate: Bool = false
    ) async throws -> String {
        try await journal.database.withConnection { connection in
            try record.unit.write(on: connection, receivedAt: receivedAt, isLate: isLate)
        }
    }

    private func value(_ sql: String) async throws -> String? {
        try await journal.database.withConnection { connection in
            let rows = try connection.query(sql)
            return rows.count == 0 ? nil : rows.string(0, 0)
        }
    }

    /// A record of each kind, and the table with its row.
    private func sample(_ kind: JournalKind) async throws -> (JournalRecord, table: String) {
        let record = try await record(kind) { body in
            switch kind {
            case .upload: body.text("category", "general")
            case .mood: body.text("mood", "calm")
            case .keepsake: body.text("title", "t")
            case .calendarEntry:
                body.text("title", "t")
                body.text("date", "2026-01-24")
            case .profilePicture: break
            }
            body.file("file", try Corpus.bytes("plain.jpg"))
        }
        return (record, kind == .profilePicture ? "journal_file" : kind.rawValue)
    }

    @Test(arguments: JournalKind.allCases)
    func `an entry that is written again is stored once`(kind: JournalKind) async throws {
        let (record, table) = try await sample(kind)
        #expect(try await write(record) == "stored")
        #expect(try await write(record, isLate: true) == "same")
        #expect(try await write(record) == "same")
        #expect(try await journal.count(table) == 1)
        #expect(try await journal.count("journal_file") == 1)
        #expect(try await journal.count("media_file") == 1)
    }

    /// As after a COMMIT that a standby confirms late, on a connection that was lost meanwhile.
    @Test(arguments: JournalKind.allCases)
    func `a second write that waits for the first one's commit changes nothing`(
        kind: JournalKind
    ) async throws {
        let (record, table) = try await sample(kind)
        let first = try Connection.open(journal.settings, deadline: .now + .seconds(60))
        defer { first.close() }
        try first.execute("BEGIN")
        #expect(try record.unit.write(on: first) == "stored")
        async let result = write(record, isLate: true)
        #expect(try await someoneWaitsForALock())
        try first.commit()
        #expect(try await result == "same")
        #expect(try await journal.count(table) == 1)
        #expect(try await journal.count("journal_file") == 1)
    }

    private func someoneWaitsForALock() async throws -> Bool {
        try await eventually(every: .milliseconds(20)) {
            try await value(
                """
                select count(*)::text from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
                """) == "1"
        }
    }

    @Test func `files of a rejected entry stay until it is requeued or dropped`() async throws {
        let (record, _) = try await sample(.mood)
        _ = try await value(
            """
            insert into sluice.unit_set_aside (kind, payload, reason, received_at)
            values ('journal_entry', convert_to('\(record.unit.payload)', 'UTF8'), 'r', now())
            returning kind
            """)
        journal.scratch.age(by: 1000)
        #expect(try await journal.media.sweep().objectsRemoved == 0)
        #expect(try await write(record, isLate: true) == "stored")
        #expect(try await value("delete from sluice.unit_set_aside returning kind") != nil)
        #expect(try await journal.media.sweep().objectsRemoved == 0)
    }

    @Test(arguments: JournalKind.allCases)
    func `the answer has what is read later`(kind: JournalKind) async throws {
        let record = try await record(kind) { body in
            for field in kind.fields.sorted(by: { $0.rawValue < $1.rawValue }) {
                switch field {
                case .keepLocation: break
                case .moodIntensity: body.text(field.rawValue, "7")
                case .createdAt: body.text(field.rawValue, "1769178600123")
                case .voiceNoteDuration: body.text(field.rawValue, "2.25")
                case .date: body.text(field.rawValue, "2026-01-24T10:30:00Z")
                default: body.text(field.rawValue, "\(field.rawValue) \"ä\" /")
                }
            }
            body.file("file", try Corpus.bytes("plain.jpg"))
            if kind != .profilePicture { body.file("file", try Corpus.bytes("turned.mp4")) }
            if kind == .mood { body.file("voiceNote", try Corpus.bytes("note.mp3")) }
        }
        try await write(record)
        let answer = try record.answer(filesURL: Journal.filesURL, errors: []).object()
        #expect(answer["success"] as? Bool == true)
        switch kind {
        case .upload:
            let files = try #require(answer["files"] as? [[String: Any]])
            #expect(files.count == 2 && answer["count"] as? Int == 2)
            for file in files {
                let id = try #require((file["data"] as? [String: Any])?["fileId"] as? String)
                let read = try await library.item(
                    kind, id: id, user: "u1", filesURL: Journal.filesURL)
                #expect(
                    try #require(read).object()["file"] as? NSDictionary == file as NSDictionary)
            }
        case .mood, .keepsake, .calendarEntry:
            let read = try await library.item(
                kind, id: record.id, user: "u1", filesURL: Journal.filesURL)
            #expect(try #require(read).object() as NSDictionary == answer as NSDictionary)
        case .profilePicture:
            let read = try await library.profilePicture(user: "u1", filesURL: Journal.filesURL)
            #expect(
                try #require(read).object()["imageUrl"] as? String == answer["imageUrl"] as? String)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a deleted entry does not come back`(kind: JournalKind) async throws {
        let (record, table) = try await sample(kind)
        try await write(record)
        let fileID = try #require(try await value("select file_id from sluice.journal_file"))
        // The last file of an upload is the upload.
        let isFile = kind == .upload || kind == .profilePicture
        #expect(
            try await library.remove(kind, id: isFile ? fileID : record.id, user: "u1") != nil)
        #expect(try await write(record, isLate: true) == "same")
        for table in [table, "journal_file", "media_file"] {
            #expect(try await journal.count(table) == 0)
        }
    }

    @Test func `an entry does not come back if its second write waits for its deletion`()
        async throws
    {
        let (record, _) = try await sample(.mood)
        try await write(record)
        let deleting = try Connection.open(journal.settings, deadline: .now + .seconds(60))
        defer { deleting.close() }
        try deleting.execute("BEGIN")
        #expect(
            try JournalRecord.remove(.mood, id: record.id, user: "u1", on: deleting))
        async let result = write(record, isLate: true)
        #expect(try await someoneWaitsForALock())
        try deleting.commit()
        #expect(try await result == "same")
        for table in ["mood", "journal_file", "media_file"] {
            #expect(try await journal.count(table) == 0)
        }
    }

    @Test func `notes of deletions are removed after a month`() async throws {
        let (old, _) = try await sample(.mood)
        try await write(old)
        _ = try await library.remove(.mood, id: old.id, user: "u1")
        _ = try await value(
            """
            update sluice.deleted_journal_entry set deleted_at = now() - interval '31 days'
            returning entry_id
            """)
        let (new, _) = try await sample(.mood)
        try await write(new)
        _ = try await library.remove(.mood, id: new.id, user: "u1")
        #expect(
            try await value("select string_agg(entry_id, ' ') from sluice.deleted_journal_entry")
                == new.id)
    }

    /// Of the pictures that were acknowledged, the last one stays, in whatever order they are
    /// written again.
    @Test(arguments: [[0, 1], [1, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1, 1]])
    func `of profile pictures the newest stays`(order: [Int]) async throws {
        let now = try #require(
            Int64(
                try await value(
                    """
                    select floor(extract(epoch from now() - '2000-01-01 00:00:00+00') * 1000000)::text
                    """) ?? ""))
        let pictures = [try await picture("plain.jpg"), try await picture("clear.png")]
        for index in order {
            try await write(
                pictures[index], receivedAt: now - Self.minute + Int64(index), isLate: true)
        }
        #expect(try await value("select file_id from sluice.profile_picture") == pictures[1].id)
        // A live one replaces it, even if its node's clock is behind.
        let live = try await picture("orientation-1.jpg")
        try await write(live, receivedAt: now - 2 * Self.minute)
        #expect(try await value("select file_id from sluice.profile_picture") == live.id)
        try await write(pictures[1], receivedAt: now - Self.minute + 1, isLate: true)
        #expect(try await value("select file_id from sluice.profile_picture") == live.id)
    }

    @Test func `a replaced profile picture can't be read, and its file is removed`() async throws {
        let (first, second) = (try await picture("plain.jpg"), try await picture("clear.png"))
        try await write(first)
        #expect(try await journal.contents(Journal.filesURL + first.id) != nil)
        try await write(second)
        #expect(try await journal.contents(Journal.filesURL + first.id) == nil)
        _ = try await journal.media.sweep()
        #expect(try await value("select file_id from sluice.journal_file") == second.id)
        #expect(try await journal.count("media_file") == 1)
        #expect(try await write(first, isLate: true) == "same")
        #expect(try await journal.count("journal_file") == 1)
    }

    @Test(arguments: [
        ("0001-01-01T00:00:00-23:59", "0001-01-01 23:59:00"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31 23:59:59.999999"),
        ("2000-01-01", "2000-01-01 00:00:00"),
        ("2026-03-29T02:30:00.000001+01:00", "2026-03-29 01:30:00.000001"),
        ("9999-12-31T23:59:59.999999+23:59", "9999-12-31 00:00:59.999999"),
    ])
    func `times are exact to the microsecond`(sent: String, stored: String) async throws {
        let record = try await record(.calendarEntry) {
            $0.text("title", "t")
            $0.text("date", sent)
        }
        try await write(record)
        #expect(
            try await value(
                "select (starts_at at time zone 'UTC')::text from sluice.calendar_entry") == stored)
    }

    @Test func `fields are stored as they were sent, with any characters`() async throws {
        let text = "\"quotes\", \\ and / and \u{1}\u{7f}\u{2028} and 😀"
        let record = try await record(.mood) {
            $0.text("mood", text)
            $0.text("note", text)
            $0.text("tags", "a")
            $0.text("moodIntensity", "7")
            $0.text("createdAt", "1769178600123")
        }
        try await write(record)
        #expect(try await value("select mood from sluice.mood") == text)
        #expect(try await value("select note from sluice.mood") == text)
        #expect(
            try await value(
                """
                select concat_ws('|', array_to_string(tags, ','), intensity,
                    created_at at time zone 'UTC') from sluice.mood
                """) == "a|7|2026-01-23 14:30:00.123")
    }
}
