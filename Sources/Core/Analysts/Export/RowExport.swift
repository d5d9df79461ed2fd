import JSONText
public import Postgres
import Readings

/// Exports the rows of a view.
public struct RowExport: Sendable {
    let table: ExportTable
    let format: RowFormat
    let scope: ExportScope

    /// - Parameter scope: must have no times for a table without ``ExportTable/timeColumn``.
    public init(_ table: ExportTable, as format: RowFormat, in scope: ExportScope) {
        precondition(
            table.timeColumn != nil || scope.from == nil && scope.to == nil, "BUG: no time column")
        self.table = table
        self.format = format
        self.scope = scope
    }

    /// Writes everything to `output`, which the caller finishes.
    ///
    /// - Parameter progress: called for each day, and every 1000 rows.
    public func run(
        on connection: Connection, to output: ExportOutput, stop: ExportStop = ExportStop(),
        progress: (ExportProgress) -> Void = { _ in }
    ) throws(ExportFault) -> ExportProgress {
        let session = try ExportSession(connection, stop)
        try session.demandKnown(scope)
        let columns = try Self.columns(of: table, session)
        if format == .csv {
            try output.write(columns.map(\.name).joined(separator: ",") + "\n")
        }
        var state = ExportProgress()
        let windows = try windows(session)
        if table.dayKind != nil { state.parts = windows.count }
        for (number, window) in windows.enumerated() {
            if state.parts != nil {
                state.part = window.from?.dayText ?? ""
                state.partsDone = number
            }
            progress(state)
            try session.copy(statement(columns, window)) { row throws(ExportFault) in
                if format == .ndjson, row.contains(where: { $0 >= 0x7F }) {
                    let line = String(decoding: row, as: UTF8.self)
                    try output.write(JSONString.escapedForTerminal(line))
                } else {
                    try output.write(row)
                }
                state.rows += 1
                if state.rows % 1000 == 0 {
                    state.bytes = output.byteCount
                    progress(state)
                    if stop.isAsked { throw .interrupted }
                }
            }
        }
        state.bytes = output.byteCount
        return state
    }

    /// The part that each statement reads; empty if the users have no devices.
    private func windows(_ session: ExportSession) throws(ExportFault) -> [ExportScope] {
        var named = scope
        if scope.namesDevices, table.hasDevices {
            named.devices = try session.devices(in: scope)
            if named.devices.isEmpty { return [] }
        }
        guard let kind = table.dayKind else { return [named] }
        return try session.days(of: kind, in: scope).map {
            named.window(firstDay: $0, lastDay: $0)
        }
    }

    // MARK: SQL

    private struct Column {
        let name: String
        let type: OID
    }

    private static func columns(
        of table: ExportTable, _ session: ExportSession
    ) throws(ExportFault) -> [Column] {
        let rows = try session.query(
            """
            SELECT attname::text, atttypid::bigint FROM pg_catalog.pg_attribute
            WHERE attrelid = 'analytics.\(table.rawValue)'::regclass AND attnum > 0
                AND NOT attisdropped
            ORDER BY attnum
            """)
        return (0..<rows.count).map {
            Column(name: rows.string($0, 0), type: OID(rawValue: UInt32(rows.int64($0, 1))))
        }
    }

    /// A text of which no spreadsheet takes a part for a formula, whichever of comma, semicolon and
    /// tab it separates cells by: an apostrophe precedes these characters, and blanks before them,
    /// at the beginning and after a semicolon, a tab or a line break. A reader who removes one
    /// apostrophe from each of these places has the text back.
    ///
    /// - Source: OWASP, "CSV Injection".
    private static func inert(_ column: String) -> String {
        let blanks = "[ \\u000B\\u000C\\u00A0\\u200B\\u3000\\uFEFF]*"
        let risky = "(^|[;\\t\\r\\n])(\(blanks)[=+@''＝＋－＠﹦﹢﹣﹫-])"
        return "regexp_replace(\(column), E'\(risky)', E'\\\\1''\\\\2', 'g')"
    }

    /// Equals `row_to_json(r)`, which on Citus loses the names of the columns.
    private static func json(_ columns: [Column]) -> String {
        let fields = columns.map {
            "'\"\($0.name)\":' || coalesce(to_json(r.\($0.name))::text, 'null')"
        }
        return "'{' || \(fields.joined(separator: " || ',' || ")) || '}'"
    }

    private func statement(_ columns: [Column], _ window: ExportScope) -> String {
        let values = columns.map { column in
            switch column.type {
            case .timestamptz:
                "to_char(\(column.name) AT TIME ZONE 'UTC', "
                    + "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') COLLATE \"C\" AS \(column.name)"
            case .bytea: "encode(\(column.name), 'hex') AS \(column.name)"
            case .text where format == .csv: "\(Self.inert(column.name)) AS \(column.name)"
            default: column.name
            }
        }
        var filter = table.timeColumn.map(window.condition(on:)) ?? "true"
        if !window.users.isEmpty { filter += " AND \(window.userCondition)" }
        if !window.devices.isEmpty {
            let literals = window.devices.map(\.sqlLiteral).joined(separator: ", ")
            filter += " AND device_id = ANY (ARRAY[\(literals)]::text[])"
        }
        let (row, form) =
            switch format {
            case .csv: ("r.*", "")
            // JSON contains neither of these two characters, so nothing is quoted or doubled.
            case .ndjson: (Self.json(columns), ", DELIMITER E'\\x01', QUOTE E'\\x02'")
            }
        // Sorts the rows as they are written: their times are texts that sort as the times do. On a
        // cluster only the order of the outermost statement holds.
        return """
            COPY (
                SELECT \(row) FROM (
                    SELECT \(values.joined(separator: ", ")) FROM analytics.\(table.rawValue)
                    WHERE \(filter)
                ) r
                ORDER BY \(table.order)
            ) TO STDOUT (FORMAT csv\(form))
            """
    }
}
