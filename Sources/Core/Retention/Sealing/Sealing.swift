public import Postgres
import Glibc
import Readings

/// Seals and unseals days, and packs late readings of sealed days. `sql/0023_sealed.sql` has the
/// forms and the states.
///
/// Every step is a short transaction, and is followed by a pause that is a multiple of the time it
/// took: a busy database makes steps longer, and so the pauses. The exchange of the forms locks the
/// table against everybody for some milliseconds. It waits for that lock ``exchangeWaitMax`` at a
/// time, because whoever writes waits meanwhile, and for transactions that read sealed days to end.
/// It leaves the day to the next call after ``exchangesMax`` attempts.
///
/// Blocks, and uses one connection.
public struct Sealing {
    /// Beside live batches a pause is so many times as long as the step before it.
    public static let gentlePauseFactor = 3.0
    /// Readings that a step copies, at least; a device is copied as a whole.
    static let stepReadings: Int64 = 50_000
    /// How long new statements may have to wait behind an exchange.
    static let exchangeWaitMax: Duration = .milliseconds(100)
    static let exchangesMax = 20
    private static let exchangePause: Duration = .milliseconds(500)
    /// Devices whose late readings one transaction packs.
    private static let mergedDevicesMax = 50
    /// How long one call packs late readings: another process may want the session's turn.
    private static let mergeMax: Duration = .seconds(30)
    /// Devices that may be left for the exchange to copy again.
    private static let changedDevicesMax = 20
    private static let changedRoundsMax = 10

    private let session: ArchiveSession
    private let lockWaitMax: Duration
    /// The pause after a step, as a multiple of the step.
    private let pauseFactor: Double
    private let step: (SealingStep, DayPartition) throws -> Void
    private let progress: (DayPartition, Int64?) -> Void

    private var connection: Connection { session.connection }

    /// - Parameters:
    ///   - pauseFactor: how long each pause is, as a multiple of the step before it; 0: none.
    ///   - step: called before each step; an error from it ends the call there, as a crash would.
    ///   - progress: called after each step with the last device that was copied.
    public init(
        _ session: ArchiveSession, pauseFactor: Double = 0,
        step: @escaping (SealingStep, DayPartition) throws -> Void = { _, _ in },
        progress: @escaping (DayPartition, Int64?) -> Void = { _, _ in }
    ) {
        self.session = session
        self.pauseFactor = pauseFactor
        self.step = step
        self.progress = progress
        lockWaitMax = RetentionConfiguration().renameWaitMax
    }

    /// Why no day can be sealed here; nil: days can be sealed. Makes or corrects the loop.
    public static func obstacle(on connection: Connection) throws(PostgresError) -> String? {
        let isCitus = try connection.query(
            "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
        ).bool(0, 0)
        if isCitus { return "days are not sealed on Citus" }
        do throws(PostgresError) {
            try connection.query("SELECT sluice.make_loop()")
            guard try connection.query("SELECT sluice.has_loop()").bool(0, 0) else {
                return "the server sluice_loop leads to another database"
            }
            return nil
        } catch {
            guard error.kind == .refused, connection.isOpen else { throw error }
            return "the loop to this database does not work: \(error)"
        }
    }

    /// Makes the loop lead here, if days are sealed. A database that was restored into another
    /// cluster has the loop of the former one: its queries of sealed days fail, or read those of the
    /// former cluster, if that still runs. So has a cluster that has got another port.
    public static func correctLoop(_ settings: ConnectionSettings) throws(PostgresError) {
        let connection = try Connection.open(settings, deadline: .now + .seconds(10))
        defer { connection.close() }
        if try hasSealedDays(on: connection) { _ = try obstacle(on: connection) }
    }

    /// Whether days are sealed, so that queries need the loop.
    static func hasSealedDays(on connection: Connection) throws(PostgresError) -> Bool {
        try connection.query(
            "SELECT EXISTS (SELECT FROM sluice.sealed_day WHERE state <> 'live')"
        ).bool(0, 0)
    }

    /// Seals a live day, or continues with one whose sealing was interrupted.
    ///
    /// Sums the hours of the day first, because afterwards that is slower.
    /// - Throws: `.refused` with 55000 if the day is not live, or if hours can't be summed now.
    public func seal(_ partition: DayPartition) throws {
        try step(.begin, partition)
        try DueHourSums.sumAll(of: partition, session, lockWait: lockWaitMax)
        var after: Int64? = try transaction(lockWait: lockWaitMax) {
            try call("begin_sealing", partition).int64(0, 0)
        }
        while let key = after {
            try step(.copy, partition)
            after = try paced(partition) {
                try copy("seal_devices", partition, after: key)
            }
        }
        var rounds = 0
        while rounds < Self.changedRoundsMax {
            rounds += 1
            try step(.copyChanged, partition)
            let changed = try paced(partition) {
                try transaction { try call("seal_changed", partition).int64(0, 0) }
            }
            if changed ?? 0 <= Self.changedDevicesMax { break }
        }
        try step(.exchange, partition)
        try exchange(
            prepare: { _ = try transaction { try call("seal_changed", partition) } },
            { try call("end_sealing", partition) })
        try session.expect(ArchiveSession.long)
        let name = ArchiveCatalog.quoted("packed_\(partition.name)")
        // Freezes its rows at once, so that nothing has to read it again.
        try connection.execute("VACUUM (FREEZE, ANALYZE) sluice_sealed.\(name)")
    }

    /// Makes a sealed day live again, or continues with one whose unsealing was interrupted.
    ///
    /// - Parameter keep: how long it is not sealed again, however old it is.
    /// - Throws: `.refused` with 55000 if the day is not sealed.
    public func unseal(_ partition: DayPartition, keep: Duration = .zero) throws {
        try step(.begin, partition)
        var after: Int64? = try transaction(lockWait: lockWaitMax) {
            var parameters = ArchiveCatalog.key(of: partition)
            parameters.append(int8: keep.components.seconds)
            return try connection.query(
                "SELECT sluice.begin_unsealing($1, $2, $3 * interval '1 second')", parameters
            ).int64(0, 0)
        }
        while let key = after {
            try step(.copy, partition)
            after = try paced(partition) {
                try copy("unseal_devices", partition, after: key)
            }
        }
        try step(.exchange, partition)
        try exchange { try call("end_unsealing", partition) }
        try session.expect(ArchiveSession.long)
        try session.analyze(partition)
    }

    /// Unseals a day if it is sealed, or on the way to it: days leave, and rows are restored, in
    /// their live form.
    func makeLive(_ partition: DayPartition) throws {
        guard !partition.kind.isRollup else { return }
        try session.expect(ArchiveSession.quick)
        switch try Self.state(of: partition, on: connection) {
        case "sealing":
            try seal(partition)
            try unseal(partition)
        case "sealed", "unsealing": try unseal(partition)
        default: return
        }
    }

    /// Packs late readings of sealed days, for ``mergeMax`` at most.
    ///
    /// - Returns: how many devices and days were packed, and whether none is left but those that
    ///   are in use.
    @discardableResult
    public func merge() throws -> (devices: Int, isComplete: Bool) {
        var merged = 0
        let end = ContinuousClock.now + Self.mergeMax
        while true {
            let start = ContinuousClock.now
            let count = try transaction {
                Int(
                    try connection.query("SELECT sluice.merge_late(\(Self.mergedDevicesMax))")
                        .int32(0, 0))
            }
            merged += count
            if count == 0 { return (merged, true) }
            if .now >= end { return (merged, false) }
            rest(.now - start)
        }
    }

    /// The state of a day in `sluice.sealed_day`; nil: live, or not in the tables.
    static func state(
        of partition: DayPartition, on connection: Connection
    ) throws(PostgresError) -> String? {
        let rows = try connection.query(
            "SELECT state FROM sluice.sealed_day WHERE kind = $1 AND day = $2",
            ArchiveCatalog.key(of: partition))
        return rows.count == 0 ? nil : rows.string(0, 0)
    }

    // MARK: -

    @discardableResult
    private func call(
        _ function: String, _ partition: DayPartition
    ) throws(PostgresError) -> Rows {
        try connection.query(
            "SELECT sluice.\(function)($1, $2)", ArchiveCatalog.key(of: partition))
    }

    private func copy(
        _ function: String, _ partition: DayPartition, after key: Int64
    ) throws -> Int64? {
        try transaction {
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            var parameters = ArchiveCatalog.key(of: partition)
            parameters.append(int8: key)
            parameters.append(int8: Self.stepReadings)
            let rows = try connection.query(
                "SELECT sluice.\(function)($1, $2, $3, $4)", parameters)
            return rows.isNull(0, 0) ? nil : rows.int64(0, 0)
        }
    }

    private func transaction<Value>(
        lockWait: Duration = .seconds(10), _ body: () throws -> Value
    ) throws -> Value {
        try session.expect(ArchiveSession.long, lockWait: lockWait)
        return try connection.transaction {
            // A crash that takes the last steps back repeats them.
            try connection.execute("SET LOCAL synchronous_commit = off")
            return try body()
        }
    }

    /// Tries until nobody uses the table.
    ///
    /// - Parameter prepare: called before each attempt.
    private func exchange(
        prepare: () throws -> Void = {}, _ body: () throws -> Void
    ) throws {
        var attempt = 1
        while true {
            do {
                try prepare()
                try session.expect(ArchiveSession.long, lockWait: Self.exchangeWaitMax)
                return try connection.transaction(body)
            } catch let error as PostgresError {
                // 40P01: a lane has locked the packed form, and waits for the table.
                guard error.sqlState == "55P03" || error.sqlState == "40P01", connection.isOpen,
                    attempt < Self.exchangesMax
                else { throw error }
                attempt += 1
                usleep(UInt32(Self.exchangePause / .microseconds(1)))
            }
        }
    }

    private func paced(
        _ partition: DayPartition, _ body: () throws -> Int64?
    ) throws -> Int64? {
        let start = ContinuousClock.now
        let value = try body()
        progress(partition, value)
        rest(.now - start)
        return value
    }

    private func rest(_ worked: Duration) {
        guard pauseFactor > 0 else { return }
        usleep(UInt32(min(worked / .microseconds(1) * pauseFactor, 30_000_000)))
    }
}
