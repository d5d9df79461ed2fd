public import Postgres
public import Readings

/// What the database knows of days that left.
public enum ArchiveCatalog {
    /// The parts that match, oldest day first.
    ///
    /// - Parameter states: only these; empty: all.
    public static func parts(
        _ selection: ArchiveSelection = ArchiveSelection(),
        states: Set<ArchivedPart.State> = [], on connection: Connection
    ) throws(PostgresError) -> [ArchivedPart] {
        let rows = try connection.query(
            "SELECT \(ArchivedPart.columns) FROM sluice.archive ORDER BY day, kind, part")
        return (0..<rows.count).map { ArchivedPart(rows, $0) }.filter {
            selection.contains($0.partition) && (states.isEmpty || states.contains($0.state))
        }.sorted { ($0.partition, $0.part) < ($1.partition, $1.part) }
    }

    /// The partitions that are old enough to leave.
    static func due(
        _ configuration: RetentionConfiguration, today: Day, on connection: Connection
    ) throws(PostgresError) -> [DayPartition] {
        let names = try connection.query(
            "SELECT name FROM sluice.day_partition WHERE NOT is_pending")
        let kept = try connection.query(
            """
            SELECT \(ArchivedPart.columns) FROM sluice.archive
            WHERE state = 'restored' AND keep_until > now()
            """)
        return RetentionPlan.due(
            names: (0..<names.count).map { names.string($0, 0) }, today: today,
            kept: Set((0..<kept.count).map { ArchivedPart(kept, $0).partition }), configuration)
    }

    /// The number of the part that a day would leave as.
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

    /// Whether any day went into a file that may be wanted again.
    static func hasFiles(on connection: Connection) throws(PostgresError) -> Bool {
        try connection.query(
            "SELECT EXISTS (SELECT FROM sluice.archive WHERE file IS NOT NULL)"
        ).bool(0, 0)
    }

    /// Whether that process put any file that is not replaced into that directory.
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

    /// How many days of each table went without a file since last night, by all nodes together.
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

    /// How a partition that is to leave hangs on its table.
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

    /// Columns of a table, in order, as they stand in COPY.
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

    /// As identifiers, comma-separated.
    static func list(_ columns: [String]) -> String {
        columns.map(quoted).joined(separator: ", ")
    }

    /// As an identifier.
    static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }
}

/// A row of `sluice.archive`: one day of one table that left, or is about to.
public struct ArchivedPart: Sendable, Equatable {
    /// How far it is. The raw values are the table's.
    public enum State: String, Sendable, CaseIterable {
        /// Chosen, and perhaps detached.
        case leaving
        /// A table by itself.
        case detached
        /// Dropped.
        case gone
        /// Its rows are in the table again.
        case restored
        /// A later part holds its rows.
        case replaced
    }

    /// Table and day.
    public let partition: DayPartition
    /// From 1; a day that was brought back and leaves again gets the next one.
    public let part: Int
    /// In the manifest too.
    public let id: String
    /// How far it is.
    public let state: State
    /// nil: not counted yet.
    public let rows: Int?
    /// nil: there is none.
    public let file: String?
    /// Where the file was written, by which process.
    public let origin: String
    /// Where the file was written; nil: nowhere.
    let directory: String?
    /// By which process.
    let node: String?
    /// Size of the file.
    public let bytes: Int?
    /// Of the file.
    let sha256: [UInt8]?
    /// Of what was restored: microseconds since 2000-01-01; nil: not restored.
    public let keepUntil: Int64?

    /// What its partition is called once it is to leave.
    var leavingName: String { "leaving_\(part)_\(partition.name)" }
}

extension ArchivedPart {
    static let columns = """
        kind, day, part, id::text, state, rows, file,
        coalesce(directory, '') || coalesce(' on ' || node, ''), bytes, sha256, keep_until,
        directory, node
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
    }
}

/// Which parts; all conditions must hold.
public struct ArchiveSelection: Sendable {
    /// From this day on.
    public var first: Day?
    /// Up to and with this day.
    public var last: Day?
    /// Of these tables; empty: of all.
    public var kinds: Set<DayTable> = []

    /// All of them.
    public init() {}

    func contains(_ partition: DayPartition) -> Bool {
        (first.map { partition.day >= $0 } ?? true) && (last.map { partition.day <= $0 } ?? true)
            && (kinds.isEmpty || kinds.contains(partition.kind))
    }
}

/// A connection on which one process at a time works on the archive: the lock is the session's, so
/// it goes with the process.
public struct ArchiveSession {
    /// With settings under which what is written as text reads back bit by bit.
    public let connection: Connection

    /// How long a statement may take that is quick.
    static let quick: Duration = .seconds(30)
    /// How long one that goes through a day's rows may be without a sign of life.
    static let long: Duration = .seconds(600)

    /// The key of the advisory lock: shared by those who need days to stay where they are.
    public static let lock = "1936487779, 14"

    /// Takes the lock.
    ///
    /// - Parameter patience: how long to wait for another process.
    /// - Returns: nil when another process has it.
    public init?(_ connection: Connection, patience: Duration = .zero) throws {
        self.connection = connection
        connection.deadline = .now + Self.quick
        try connection.execute(
            """
            SET extra_float_digits = 3; SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC';
            SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0
            """)
        let end = ContinuousClock.now + patience
        while true {
            connection.deadline = .now + Self.quick
            if try connection.query("SELECT pg_try_advisory_lock(\(Self.lock))").bool(0, 0) {
                return
            }
            if ContinuousClock.now >= end { return nil }
            try connection.query("SELECT pg_sleep(0.5)")
        }
    }

    /// Gives the lock back.
    public func end() {
        guard connection.isOpen else { return }
        connection.deadline = .now + Self.quick
        try? connection.rollback()
        _ = try? connection.query("SELECT pg_advisory_unlock(\(Self.lock))")
    }

    /// - Parameter lockWait: for one lock.
    func expect(_ limit: Duration, lockWait: Duration = .seconds(10)) throws(PostgresError) {
        connection.deadline = .now + Self.quick
        try connection.execute("SET lock_timeout = '\(Int(lockWait / .milliseconds(1)))ms'")
        connection.deadline = .now + limit + lockWait
    }
}
