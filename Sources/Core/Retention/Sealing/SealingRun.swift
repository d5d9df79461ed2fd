import Postgres
import Readings

/// One round of sealing: packs late readings, and seals the oldest day that is old enough.
struct SealingRun {
    /// The result of a round.
    enum Outcome {
        /// No day is old enough.
        case nothing(Merge)
        /// No day can be sealed here.
        case impossible(String)
        case sealed(DayPartition, Figures, Merge)
        /// The day rests.
        case failed(DayPartition, String)
    }

    /// The packing of late readings in one round.
    struct Merge {
        /// Devices and days that were packed.
        var devices = 0
        /// Nothing was left for lack of time.
        var isComplete = true
    }

    /// What became of a day.
    struct Figures {
        let readings: Int
        let bytes: Int
        let liveBytes: Int
    }

    private let session: ArchiveSession
    private let configuration: RetentionConfiguration
    private let bytesMin: Int
    private let sealing: Sealing

    private var connection: Connection { session.connection }

    /// - Parameter bytesMin: the size of the smallest day that is sealed.
    init(
        _ session: ArchiveSession, _ configuration: RetentionConfiguration, pauseFactor: Double = 0,
        bytesMin: Int = DayForm.liveBytesMin,
        step: @escaping (SealingStep, DayPartition) throws -> Void = { _, _ in }
    ) {
        self.session = session
        self.configuration = configuration
        self.bytesMin = bytesMin
        sealing = Sealing(session, pauseFactor: pauseFactor, step: step)
    }

    /// - Throws: what ends the round, such as a lost connection. A day that was being unsealed is
    ///   brought back first.
    func next(_ pace: inout SealingPace) throws -> Outcome {
        try session.expect(ArchiveSession.quick)
        var failing = try FailingItems(.sealing, on: connection)
        let merge = try mergeLate(&pace, &failing)
        try session.expect(ArchiveSession.quick)
        for partition in try began("unsealing") { try sealing.unseal(partition) }
        try session.expect(ArchiveSession.quick)
        let after = configuration.sealAfterDays ?? 0
        guard try after > 0 || Sealing.hasSealedDays(on: connection) else { return .nothing(merge) }
        if let obstacle = try Sealing.obstacle(on: connection) { return .impossible(obstacle) }
        guard after > 0 else { return .nothing(merge) }
        try session.expect(ArchiveSession.quick)
        let candidates = try due(after: after)
        let quiet = pace.quiet(try addedRows(to: candidates), at: .now)
        guard
            let partition = candidates.first(where: {
                ($0.form == .sealing || quiet.contains($0.partition))
                    && !failing.rests($0.partition.name)
            })?.partition
        else { return .nothing(merge) }
        do {
            try sealing.seal(partition)
            try session.expect(ArchiveSession.quick)
            try failing.succeeded(partition.name, on: connection)
            return .sealed(partition, try figures(of: partition), merge)
        } catch let error as PostgresError {
            guard connection.isOpen else { throw error }
            try connection.rollback()
            try session.expect(ArchiveSession.quick)
            try failing.failed(partition.name, error, on: connection)
            return .failed(partition, "\(error)")
        }
    }

    /// Days are sealed although late readings can't be packed.
    private func mergeLate(
        _ pace: inout SealingPace, _ failing: inout FailingItems
    ) throws -> Merge {
        var merge = Merge()
        guard pace.mergeIsDue(at: .now), !failing.rests(Self.late) else { return merge }
        do {
            (merge.devices, merge.isComplete) = try sealing.merge()
            try session.expect(ArchiveSession.quick)
            try failing.succeeded(Self.late, on: connection)
        } catch let error as PostgresError {
            guard error.kind == .refused, connection.isOpen else { throw error }
            try connection.rollback()
            try session.expect(ArchiveSession.quick)
            try failing.failed(Self.late, error, on: connection)
        }
        pace.merged(isComplete: merge.isComplete, at: .now)
        return merge
    }

    /// Among the failing items, beside the names of days.
    private static let late = "late readings"

    /// The partitions that are old and large enough, oldest first; those whose sealing was
    /// interrupted are among them.
    private func due(after sealAfterDays: Int) throws -> [DayForm] {
        // A clock that is ahead must not seal the days that devices write to.
        let clock = try TrustedClock(configuration, on: connection)
        guard let today = clock.trustedToday else { return [] }
        try session.expect(ArchiveSession.quick)
        let days = try ArchiveCatalog.partitionDays(on: connection)
        let oldest = today.before(days: sealAfterDays + days - 1)
        let leaving = Set(
            try ArchiveCatalog.due(
                configuration, today: clock.today, partitionDays: days, on: connection))
        let kept = try Set(began("live"))
        return try DayForm.all(on: connection).filter {
            ($0.form == .sealing || $0.form == .live && $0.bytes ?? 0 >= bytesMin)
                && $0.partition.day < oldest && !leaving.contains($0.partition)
                && !kept.contains($0.partition)
        }
    }

    /// How many rows were ever added to live days, as far as the server has counted them.
    private func addedRows(to days: [DayForm]) throws(PostgresError) -> [DayPartition: Int] {
        let live = days.map(\.partition)
        var parameters = Parameters()
        parameters.append(texts: live.map { $0.name })
        let rows = try connection.query(
            """
            SELECT coalesce(pg_stat_get_tuples_inserted(to_regclass('sluice_partitions.' || name)), 0)
            FROM unnest($1::text[]) WITH ORDINALITY u (name, place) ORDER BY place
            """, parameters)
        return Dictionary(
            uniqueKeysWithValues: live.enumerated().map { ($1, Int(rows.int64($0, 0))) })
    }

    /// - Parameter state: as in `sluice.sealed_day`; of `live` days, those that stay live.
    private func began(_ state: String) throws(PostgresError) -> [DayPartition] {
        var parameters = Parameters()
        parameters.append(text: state)
        let rows = try connection.query(
            """
            SELECT kind, day - date '2000-01-01' FROM sluice.sealed_day
            WHERE state = $1 AND (keep_until IS NULL OR keep_until > now())
            ORDER BY day, kind
            """, parameters)
        return (0..<rows.count).compactMap { row in
            DayTable(rawValue: rows.string(row, 0)).map {
                DayPartition($0, Day(number: rows.int32(row, 1)))
            }
        }
    }

    private func figures(of partition: DayPartition) throws(PostgresError) -> Figures {
        let rows = try connection.query(
            """
            SELECT readings, bytes, live_bytes FROM sluice.sealed_day
            WHERE kind = $1 AND day = $2 AND state = 'sealed'
            """, ArchiveCatalog.key(of: partition))
        guard rows.count == 1 else { return Figures(readings: 0, bytes: 0, liveBytes: 0) }
        return Figures(
            readings: Int(rows.int64(0, 0)), bytes: Int(rows.int64(0, 1)),
            liveBytes: Int(rows.int64(0, 2)))
    }
}
