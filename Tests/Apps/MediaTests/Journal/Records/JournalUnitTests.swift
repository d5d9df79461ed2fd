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
        #expect(
            try await library.answer(to: record, filesURL: Journal.filesURL, errors: []) != nil)
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
        #expect(
            try await library.answer(to: record, filesURL: Journal.filesURL, errors: []) == nil)
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

    @Test func `a late profile picture does not replace a newer one`() async throws {
        let now = try #require(
            Int64(
                try await value(
                    """
                    select floor(extract(epoch from now() - '2000-01-01 00:00:00+00') * 1000000)::text
                    """) ?? ""))
        let (first, second) = (try await picture("plain.jpg"), try await picture("clear.png"))
        #expect(try await write(second) == "stored")
        #expect(try await write(first, receivedAt: now - Self.minute, isLate: true) == "same")
        #expect(try await value("select file_id from sluice.profile_picture") == second.id)
        #expect(try await journal.count("journal_file") == 1)
        // A late picture that was received after the stored one was replaces it.
        #expect(try await write(first, receivedAt: now + Self.minute, isLate: true) == "stored")
        #expect(try await value("select file_id from sluice.profile_picture") == first.id)
        // The replaced picture does not come back, late or not.
        #expect(try await write(second, receivedAt: now + 2 * Self.minute) == "same")
        #expect(try await journal.count("journal_file") == 1)
    }

    @Test(arguments: [
        ("0001-01-01T00:00:00+23:59", "0001-12-31 00:01:00 BC"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31 23:59:59.999999"),
        ("2000-01-01", "2000-01-01 00:00:00"),
        ("2026-03-29T02:30:00.000001+01:00", "2026-03-29 01:30:00.000001"),
        ("9999-12-31T23:59:59.999999-23:59", "10000-01-01 23:58:59.999999"),
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
