import Erasure
import Postgres
import Schema
import TestSupport
import Testing

/// An export of a user is the mirror of an erasure.
@Suite struct UserExportTests {
    private let connection: Connection

    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "user_export")
        try Household.settle(Household.bob, on: connection)
        try Household.settle(Household.alice, on: connection)
        try connection.execute(
            """
            insert into sluice.app_user (user_id) values
                ('\(Household.alice)'), ('\(Household.bob)') on conflict do nothing;
            insert into sluice.device_keys
                select device_key, device_id, array[device_key] from sluice.device;
            insert into sluice.deleted_journal_entry (entry_id, user_id) values
                ('1', '\(Household.alice)'), ('2', '\(Household.bob)')
            """)
    }

    private func lines(_ table: Schema.Table, _ export: UserExport) throws -> [String] {
        var lines: [String] = []
        let count = try export.rows(of: table) { bytes in
            lines.append(String(decoding: bytes, as: UTF8.self))
        }
        #expect(count == lines.count)
        return lines
    }

    @Test func `it has the rows that an erasure removes, of each table, and nobody else's`() throws
    {
        let survey = try Eraser.survey(Household.alice, on: connection)
        let counts = Dictionary(uniqueKeysWithValues: survey.tables.map { ($0.table, $0.rows) })
        let export = try UserExport(Household.alice, on: connection)
        for table in UserExport.tables {
            let lines = try lines(table, export)
            #expect(lines.count == counts[table.qualifiedName], "\(table.name)")
            #expect(!lines.isEmpty, "the household has no row of \(table.name)")
            for line in lines {
                #expect(line.hasPrefix("{") && line.hasSuffix("}\n"), "\(line)")
                #expect(!line.contains("bob"), "\(table.name): \(line)")
            }
        }
    }

    /// Its rows would be younger than the export's snapshot, and so in neither form for it.
    @Test(arguments: ["gps", "vital", "event"])
    func `no day changes its form while it runs`(kind: String) throws {
        try connection.query("delete from sluice.rollup_due")
        let export = try UserExport(Household.alice, on: connection)
        let other = try connection.openAnother(deadline: .now + .seconds(60))
        defer { other.close() }
        try other.execute("set lock_timeout = '200ms'")
        let refused = #expect(throws: PostgresError.self) {
            try SealedDay.seal("2026-03-01", kinds: [kind], on: other)
        }
        #expect(refused?.sqlState == "55P03")
        _ = export
    }

    @Test func `each table of the schema is exported or said to have nobody's rows`() throws {
        let rows = try connection.query(
            """
            select relname::text from pg_class where relnamespace = 'sluice'::regnamespace
                and relkind in ('r', 'p') and not relispartition
            """)
        let known = Set(UserExport.tables.map(\.name) + UserExport.otherTables.map(\.name))
        for row in 0..<rows.count {
            #expect(known.contains(rows.string(row, 0)), "\(rows.string(row, 0))")
        }
    }

    @Test func `rows have their columns' names, the device's name, and texts as they were sent`()
        throws
    {
        let export = try UserExport(Household.alice, on: connection)
        func line(_ name: String) throws -> String {
            let table = try #require(UserExport.tables.first { $0.name == name })
            return try #require(try lines(table, export).first)
        }
        let gps = try line("gps")
        #expect(
            gps.contains(#""device_id":"alice-phone""#)
                || gps.contains(#""device_id":"alice.watch"#))
        #expect(
            gps.contains(
                #""t":"2026-03-01T06:00:00+00:00","lat":1,"lon":2,"acc":null,"alt":null,"#
                    + #""vacc":null,"motion":null}"#), "\(gps)")
        #expect(try line("quarantine").contains(#""body":"{"#))
        #expect(try line("mood").contains(#""mood":"fine""#))
        let table = try #require(UserExport.tables.first { $0.name == "mood" })
        let meaning = try export.meaning(of: table)
        #expect(meaning.table == "How users felt.")
        #expect(meaning.columns.contains { $0 == ("mood", "The user's word for it.") })
        for table in UserExport.tables {
            let meaning = try export.meaning(of: table)
            #expect(!meaning.table.isEmpty, "\(table.name)")
            #expect(meaning.columns.filter(\.meaning.isEmpty).map(\.name) == [], "\(table.name)")
        }
    }

    @Test func `it names the user's files, and no thumbnails`() throws {
        let files = try UserExport(Household.alice, on: connection).files()
        #expect(files.count == 3 * 3 + 5 + 2)
        #expect(files.contains { $0.path == "memories/\(Household.alice)-1/photo.jpg" })
        #expect(!files.contains { $0.path.contains("/w100") || $0.path.contains("bob") })
        #expect(files.allSatisfy { $0.content.bytes == 1000 && $0.type == "image/jpeg" })
    }

    @Test func `a user without rows has none`() throws {
        let export = try UserExport("o'nobody", on: connection)
        for table in UserExport.tables { #expect(try lines(table, export) == []) }
        #expect(try export.files() == [])
    }
}
