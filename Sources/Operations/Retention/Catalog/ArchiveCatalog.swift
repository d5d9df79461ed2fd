import Glibc
public import Postgres
public import Readings

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

    /// Whether the catalog has a file that the node wrote to the directory and that is not
    /// replaced.
    static func hasFiles(
        of node: String, in directory: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        var parameters = Parameters()
        parameters.append(text: node)
        parameters.append(text: directory)
        return try connection.query(
            """
            SELECT EXISTS (
                SELECT FROM sluice.archive
                WHERE file IS NOT NULL AND state <> 'replaced' AND node = $1 AND directory = $2)
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

/// A row of `sluice.archive`: one partition that left or is leaving.
public struct ArchivedPart: Sendable, Equatable {
    /// The progress of a part. The raw values are those of the table.
    public enum State: String, Sendable, CaseIterable {
        /// Chosen; may be detached already.
        case leaving
        /// A separate table.
        case detached
        /// Dropped.
        case gone
        /// Its rows are in the table again.
        case restored
        /// A later part holds its rows.
        case replaced
    }

    /// The table and the first day.
    public let partition: DayPartition
    /// The last day.
    let lastDay: Day
    /// Counts from 1; a restored day that leaves again gets the next number.
    public let part: Int
    /// Also in the manifest.
    public let id: String
    /// How far the part has left.
    public let state: State
    /// Nil: not counted yet.
    public let rows: Int?
    /// The name of the file; nil: there is none.
    public let file: String?
    /// The file's directory and node, for people.
    public let origin: String
    /// The file's directory; nil: there is no file.
    let directory: String?
    /// The node that wrote the file.
    let node: String?
    /// The size of the file.
    public let bytes: Int?
    /// The SHA-256 of the file.
    let sha256: [UInt8]?
    /// Until when a restored day stays: microseconds since 2000-01-01; nil: not restored.
    public let keepUntil: Int64?

    /// The name of its partition while it leaves.
    var leavingName: String { "leaving_\(part)_\(partition.name)" }
}

extension ArchivedPart {
    static let columns = """
        kind, day, part, id::text, state, rows, file,
        coalesce(directory, '') || coalesce(' on ' || node, ''), bytes, sha256, keep_until,
        directory, node, day + sluice.partition_days() - 1
        """

    init(_ rows: Rows, _ row: Int) {
        guard let kind = DayTable(rawValue: rows.string(row, 0)),
            let state = State(rawValue: rows.string(row, 4))
        else { preconditionFailure("BUG: a row of sluice.archive that its checks forbid") }
        partition = DayPartition(kind, Day(number: rows.int32(row, 1)))
        part = Int(rows.int32(row, 2))
        id = rows.string(row, 3)
        self.state = state
        self.rows = rows.isNull(row, 5) ? nil : Int(rows.int64(row, 5))
        file = rows.isNull(row, 6) ? nil : rows.string(row, 6)
        origin = rows.string(row, 7)
        bytes = rows.isNull(row, 8) ? nil : Int(rows.int64(row, 8))
        sha256 = rows.isNull(row, 9) ? nil : Array(rows.bytes(row, 9))
        keepUntil = rows.isNull(row, 10) ? nil : rows.timestamp(row, 10)
        directory = rows.isNull(row, 11) ? nil : rows.string(row, 11)
        node = rows.isNull(row, 12) ? nil : rows.string(row, 12)
        lastDay = Day(number: rows.int32(row, 13))
    }
}

/// Selects parts that hold any of the days; all conditions must hold.
public struct ArchiveSelection: Sendable {
    /// The first day.
    public var first: Day?
    /// The last day, inclusive.
    public var last: Day?
    /// The tables; empty: all.
    public var kinds: Set<DayTable> = []

    /// Selects all parts.
    public init() {}

    func contains(_ part: ArchivedPart) -> Bool {
        (first.map { part.lastDay >= $0 } ?? true)
            && (last.map { part.partition.day <= $0 } ?? true)
            && (kinds.isEmpty || kinds.contains(part.partition.kind))
    }
}

/// A connection for the archive's work, and a second one that holds the archive's lock, which one
/// process at a time can have. The lock belongs to an open transaction, so it ends with the
/// process; the work has many transactions, and steps that can't run in one. The open transaction
/// has no snapshot, so it does not hold back vacuum.
public struct ArchiveSession {
    /// With its settings, rows that are written as text are read back exactly.
    public let connection: Connection
    private let turn: Connection

    /// The time limit of quick statements.
    static let quick: Duration = .seconds(30)
    /// The time limit of statements over a day's rows, between two signs of progress.
    static let long: Duration = .seconds(600)

    /// The statement by which a transaction demands that days stay until its end.
    public static let keepsDays = "LOCK TABLE sluice.archive_turn IN ROW SHARE MODE"

    /// Takes the lock.
    ///
    /// - Parameter patience: how long to wait for another process's lock.
    /// - Returns: nil if another process holds the lock.
    public init?(_ connection: Connection, patience: Duration = .zero) throws {
        self.connection = connection
        connection.deadline = .now + Self.quick
        try connection.execute(
            """
            SET extra_float_digits = 3; SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC';
            SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0
            """)
        turn = try connection.openAnother(deadline: .now + Self.quick)
        try turn.query(
            """
            SELECT count(set_config(name, '0', false)) FROM pg_settings WHERE name IN (
                'idle_in_transaction_session_timeout', 'idle_session_timeout', 'statement_timeout',
                'transaction_timeout')
            """)
        let end = ContinuousClock.now + patience
        while try !takeTurn() {
            if ContinuousClock.now >= end { return nil }
            usleep(500_000)
        }
    }

    private func takeTurn() throws(PostgresError) -> Bool {
        turn.deadline = .now + Self.quick
        do throws(PostgresError) {
            try turn.execute("BEGIN; LOCK TABLE sluice.archive_turn IN EXCLUSIVE MODE NOWAIT")
            return true
        } catch {
            guard error.sqlState == "55P03" else { throw error }
            try turn.rollback()
            return false
        }
    }

    /// Releases the lock.
    public func end() {
        defer { turn.close() }
        guard connection.isOpen else { return }
        connection.deadline = .now + Self.quick
        try? connection.rollback()
    }

    /// - Parameter lockWait: the timeout of each lock.
    /// - Throws: `.connectionLost` also when the lock is lost.
    func expect(_ limit: Duration, lockWait: Duration = .seconds(10)) throws(PostgresError) {
        guard turn.probe() else {
            throw PostgresError(.connectionLost, message: "the archive's lock is lost")
        }
        connection.deadline = .now + Self.quick
        try connection.execute("SET lock_timeout = '\(Int(lockWait / .milliseconds(1)))ms'")
        connection.deadline = .now + limit + lockWait
    }
}
