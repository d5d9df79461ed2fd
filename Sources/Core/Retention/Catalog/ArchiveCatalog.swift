import Glibc
public import Postgres
import Readings

/// Reads `sluice.archive`, the catalog of days that left or are leaving.
public enum ArchiveCatalog {
    /// The parts that match, oldest day first.
    ///
    /// - Parameter states: the wanted states; empty: all.
    public static func parts(
        _ selection: ArchiveSelection = ArchiveSelection(),
        states: Set<ArchivedPart.State> = [], on connection: Connection
    ) throws(PostgresError) -> [ArchivedPart] {
        let rows = try connection.query(
            "SELECT \(ArchivedPart.columns) FROM sluice.archive ORDER BY day, kind, part")
        return (0..<rows.count).map { ArchivedPart(rows, $0) }.filter {
            selection.contains($0) && (states.isEmpty || states.contains($0.state))
        }.sorted { ($0.partition, $0.part) < ($1.partition, $1.part) }
    }

    /// How many days a partition holds.
    static func partitionDays(on connection: Connection) throws(PostgresError) -> Int {
        Int(try connection.query("SELECT sluice.partition_days()").int32(0, 0))
    }

    /// The partitions that are old enough to leave.
    static func due(
        _ configuration: RetentionConfiguration, today: Day, partitionDays: Int,
        on connection: Connection
    ) throws(PostgresError) -> [DayPartition] {
        let names = try connection.query(
            "SELECT DISTINCT name FROM sluice.day_partition WHERE NOT is_pending")
        let kept = try connection.query(
            """
            SELECT \(ArchivedPart.columns) FROM sluice.archive
            WHERE state = 'restored' AND keep_until > now()
            """)
        return RetentionPlan.due(
            names: (0..<names.count).map { names.string($0, 0) }, today: today,
            partitionDays: partitionDays,
            kept: Set((0..<kept.count).map { ArchivedPart(kept, $0).partition }), configuration)
    }

    /// The number of the next part of a day.
    static func nextPart(
        of partition: DayPartition, on connection: Connection
    ) throws(PostgresError) -> Int {
        Int(
            try connection.query(
                """
                SELECT coalesce(max(part), 0) + 1 FROM sluice.archive WHERE kind = $1 AND day = $2
                """, key(of: partition)
            ).int32(0, 0))
    }

    /// Whether any day has an archive file.
    static func hasFiles(on connection: Connection) throws(PostgresError) -> Bool {
        try connection.query(
            "SELECT EXISTS (SELECT FROM sluice.archive WHERE file IS NOT NULL)"
        ).bool(0, 0)
    }

    /// Whether the catalog has a file that was written to the directory or bucket and that is not
    /// replaced.
    ///
    /// - Parameter node: the node that wrote it; nil: any.
    static func hasFiles(
        of node: String?, in directory: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        var parameters = Parameters()
        parameters.append(text: node)
        parameters.append(text: directory)
        return try connection.query(
            """
            SELECT EXISTS (
                SELECT FROM sluice.archive
                WHERE file IS NOT NULL AND state <> 'replaced' AND ($1::text IS NULL OR node = $1) AND directory = $2)
            """, parameters
        ).bool(0, 0)
    }

    /// How many days with rows all nodes dropped without a file in the last 20 hours, by table.
    static func droppedLately(
        on connection: Connection
    ) throws(PostgresError) -> [DayTable: Int] {
        let rows = try connection.query(
            """
            SELECT kind, count(*) FROM sluice.archive
            WHERE state = 'gone' AND file IS NULL AND rows > 0
                AND changed_at > now() - interval '20 hours'
            GROUP BY kind
            """)
        var counts: [DayTable: Int] = [:]
        for row in 0..<rows.count {
            guard let kind = DayTable(rawValue: rows.string(row, 0)) else { continue }
            counts[kind] = Int(rows.int64(row, 1))
        }
        return counts
    }

    /// The state of a partition that leaves its table.
    enum Attachment {
        case attached
        case pending
        case detached
    }

    static func attachment(
        of part: ArchivedPart, on connection: Connection
    ) throws(PostgresError) -> Attachment {
        var parameters = Parameters()
        parameters.append(text: part.leavingName)
        let rows = try connection.query(
            "SELECT is_pending FROM sluice.day_partition WHERE name = $1", parameters)
        guard rows.count > 0 else { return .detached }
        return rows.bool(0, 0) ? .pending : .attached
    }

    /// Parameters `$1` kind, `$2` day, `$3` part.
    static func key(of part: ArchivedPart) -> Parameters {
        var parameters = key(of: part.partition)
        parameters.append(int4: Int32(part.part))
        return parameters
    }

    /// Parameters `$1` kind, `$2` day.
    static func key(of partition: DayPartition) -> Parameters {
        var parameters = Parameters()
        parameters.append(text: partition.kind.rawValue)
        parameters.append(date: partition.day.number)
        return parameters
    }

    /// The columns of a table, in COPY's order.
    static func columns(
        of table: String, on connection: Connection
    ) throws(PostgresError) -> [String] {
        var parameters = Parameters()
        parameters.append(text: table)
        let rows = try connection.query(
            """
            SELECT attname::text FROM pg_attribute
            WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
            ORDER BY attnum
            """, parameters)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// As SQL identifiers, comma-separated.
    static func list(_ columns: [String]) -> String {
        columns.map(quoted).joined(separator: ", ")
    }

    /// As an SQL identifier.
    static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }
}
