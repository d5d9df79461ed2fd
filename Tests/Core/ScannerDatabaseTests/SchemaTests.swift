import Postgres
import Readings
import TestSupport
import Testing

/// What a migration for a new kind of reading must provide.
@Suite(.timeLimit(.minutes(10))) struct `The database and the schema of readings` {
    private let connection: Connection

    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "schema")
    }

    private func strings(_ sql: String) throws -> [String] {
        let rows = try connection.query(sql)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test(arguments: ReadingKind.allCases)
    func `have the same columns`(kind: ReadingKind) throws {
        let columns = try strings(
            """
            select column_name || ' ' || udt_name || case is_nullable when 'YES' then '?' else '' end
            from information_schema.columns
            where table_schema = 'sluice' and table_name = '\(kind.name)' order by ordinal_position
            """)
        let fields = kind.schema.fieldColumns.map {
            "\($0.name) \($0.sqlType)\($0.isOptional ? "?" : "")"
        }
        #expect(columns == ["device_key int8", "t timestamptz"] + fields)

        let state = try strings(
            """
            select column_name from information_schema.columns
            where table_schema = 'sluice' and table_name = 'device_state'
            """)
        for end in ["until", "before", "late_by_us"] {
            #expect(state.contains("\(kind.name)_\(end)"))
        }
    }

    @Test(arguments: ReadingKind.allCases)
    func `show analysts the same columns`(kind: ReadingKind) throws {
        let columns = try strings(
            """
            select column_name from information_schema.columns
            where table_schema = 'analytics' and table_name = '\(kind.name)'
            """)
        let fields = kind.schema.fields.map(\.viewColumn)
        #expect(Set(["device_id", "time"] + fields).subtracting(columns) == [])
        for view in ["newest", "completeness", "fleet", "reading"] {
            let text = try strings("select pg_get_viewdef('analytics.\(view)'::regclass)")
            let part = view == "reading" ? "'\(kind.name)'" : "\(kind.name)_until"
            #expect(text[0].contains(part), "\(view)")
        }
    }

    @Test func `cut the same tables into days`() throws {
        let names = DayTable.allCases.map(\.name)
        let missing = "sluice.missing_days(date '2033-03-03', date '2033-03-03')"
        #expect(try strings("select kind from \(missing)") == names)
        _ = try strings("select sluice.ensure_days(date '2033-03-03', date '2033-03-03')::text")
        let made = "where day = date '2033-03-03'"
        #expect(try Set(strings("select kind from sluice.day_partition \(made)")) == Set(names))
        #expect(
            try Set(strings("select kind from analytics.stored_day \(made)"))
                == Set(ReadingKind.allCases.map(\.name)))
        let checks = try strings(
            """
            select string_agg(pg_get_constraintdef(oid), ' ') from pg_constraint
            where conrelid = 'sluice.archive'::regclass and contype = 'c'
            """)
        for name in names { #expect(checks[0].contains("'\(name)'")) }
    }
}

extension ReadingColumn {
    /// Its type.
    var sqlType: String {
        switch fields[0].rule {
        case .number, .measure, .amount, .finite: "float8"
        case .share: "int8"
        case .integer: "int2"
        case .text: "text"
        case .object: "jsonb"
        case .time: "timestamptz"
        }
    }
}
