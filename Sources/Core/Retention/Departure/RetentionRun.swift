import Glibc
import Postgres
import Readings

/// One run of retention: removes the days that are old enough from the tables, and continues days
/// that an earlier run began.
///
/// A day that fails does not stop the others: it is noted in ``Postgres/FailingItems`` and comes
/// last from then on, so that even a day that breaks the connection delays no other twice.
///
/// Blocks, and uses one connection.
public struct RetentionRun {
    private let session: ArchiveSession
    private let configuration: RetentionConfiguration
    private let node: String
    private let nodeTime: Int?
    private let trustsClock: Bool
    private let triesAll: Bool
    private let interrupted: (DayPartition, any Error) -> Void
    private let step: (DepartureStep, DayPartition) throws -> Void
    private let progress: (DayPartition, Int) -> Void

    private var connection: Connection { session.connection }

    /// - Parameters:
    ///   - node: recorded in the manifest.
    ///   - nodeTime: seconds since 1970 by this node's clock; nil: now.
    ///   - trustsClock: an operator has checked the database's clock, so days leave even if no
    ///     device has sent for long. It must still agree with this node's.
    ///   - triesAll: also tries the days that failed not long ago.
    ///   - interrupted: called with the day whose error ends the run, if the connection broke and
    ///     the failure could not be noted.
    ///   - step: called before each step; an error from it ends the run there, as a crash would.
    ///   - progress: called now and then with the number of a day's rows that were copied.
    public init(
        _ session: ArchiveSession, _ configuration: RetentionConfiguration, node: String,
        nodeTime: Int? = nil, trustsClock: Bool = false, triesAll: Bool = true,
        interrupted: @escaping (DayPartition, any Error) -> Void = { _, _ in },
        step: @escaping (DepartureStep, DayPartition) throws -> Void = { _, _ in },
        progress: @escaping (DayPartition, Int) -> Void = { _, _ in }
    ) {
        self.session = session
        self.configuration = configuration
        self.node = node
        self.nodeTime = nodeTime
        self.trustsClock = trustsClock
        self.triesAll = triesAll
        self.interrupted = interrupted
        self.step = step
        self.progress = progress
    }

    /// Processes all days that are due.
    ///
    /// - Throws: when the run can't continue: the connection breaks, the disk is full or fails for
    ///   several days, the bucket fails, the clocks differ, or no directory is configured although days were archived
    ///   before. Errors of one day are in the report; the other days continue.
    public func run() throws -> RetentionReport {
        var report = RetentionReport()
        guard configuration.isOn else { return report }
        let clock = try TrustedClock(
            configuration, on: connection, nodeTime: nodeTime, isVouchedFor: trustsClock)
        let archive = try preparedArchive()
        let lock = try archive?.claim(session)
        defer { withExtendedLifetime(lock) {} }
        try session.expect(ArchiveSession.quick)
        try archive?.removeLeftovers(known: ArchiveCatalog.parts(on: connection))
        try session.expect(ArchiveSession.quick)
        var failing = try FailingItems(.retention, on: connection)
        var tasks: [Departure] = []
        for part in try ArchiveCatalog.parts(states: [.replaced], on: connection) {
            tasks.append(Departure(part.partition) { _ in try clean(part, archive) })
        }
        let begun = try ArchiveCatalog.parts(states: [.leaving, .detached], on: connection)
        for part in begun {
            tasks.append(
                Departure(part.partition) { report in try leave(part, archive, &report) })
        }
        let busy = Set(begun.map(\.partition))
        for partition in try chosen(clock, archive, failing, &report)
        where !busy.contains(partition) {
            tasks.append(
                Departure(partition) { report in
                    try leave(try choose(partition, archive), archive, &report)
                })
        }
        let known = failing
        let (late, early) = (
            tasks.filter { known.contains($0.partition.name) },
            tasks.filter { !known.contains($0.partition.name) }
        )
        for task in early + late {
            guard triesAll || !known.rests(task.partition.name) else {
                report.resting += 1
                continue
            }
            try attempt(task, &failing, &report)
        }
        return report
    }

    /// What is to be done with one day.
    private struct Departure {
        let partition: DayPartition
        let work: (inout RetentionReport) throws -> Void

        init(_ partition: DayPartition, _ work: @escaping (inout RetentionReport) throws -> Void) {
            self.partition = partition
            self.work = work
        }
    }

    /// The due days, without doubtful ones and without drops beyond the nightly limit.
    private func chosen(
        _ clock: TrustedClock, _ archive: Archive?, _ failing: FailingItems,
        _ report: inout RetentionReport
    ) throws -> [DayPartition] {
        try session.expect(ArchiveSession.quick)
        let length = try ArchiveCatalog.partitionDays(on: connection)
        let all = try ArchiveCatalog.due(
            configuration, today: clock.today, partitionDays: length, on: connection)
        let due =
            try clock.trustedToday.map {
                try ArchiveCatalog.due(
                    configuration, today: $0, partitionDays: length, on: connection)
            } ?? []
        if let first = all.first(where: { !due.contains($0) }) {
            let doubt = ArchiveError.todayDoubtful(
                today: clock.today.text, newest: clock.newest?.text,
                days: (all.count - due.count) * length)
            report.failures.append((first, "\(doubt)"))
            report.doubtful = all.count - due.count
        }
        guard archive == nil else { return due }
        var counts = try ArchiveCatalog.droppedLately(on: connection)
        // A day that fails takes the place of no other.
        let (late, early) = (
            due.filter { failing.contains($0.name) }, due.filter { !failing.contains($0.name) }
        )
        let few = (early + late).filter { partition in
            counts[partition.kind, default: 0] += 1
            return counts[partition.kind, default: 0]
                <= max(1, configuration.droppedDaysMax / length)
        }
        report.postponed = due.count - few.count
        return few
    }

    private func preparedArchive() throws -> Archive? {
        guard let archive = configuration.archive else {
            guard case .nowhere(isMeant: false) = configuration.destination else { return nil }
            try session.expect(ArchiveSession.quick)
            guard try !ArchiveCatalog.hasFiles(on: connection) else {
                throw ArchiveError.directoryMissing
            }
            return nil
        }
        let isEmpty = try !archive.hasFiles()
        try session.expect(ArchiveSession.quick)
        if isEmpty,
            try ArchiveCatalog.hasFiles(
                of: archive.store.isShared ? nil : node, in: archive.location, on: connection)
        {
            throw ArchiveError.emptied(path: archive.location)
        }
        try archive.demand()
        return archive
    }

    /// Catches the errors of one day, so that other days continue.
    private func attempt(
        _ task: Departure, _ failing: inout FailingItems, _ report: inout RetentionReport
    ) throws {
        let name = task.partition.name
        do {
            try task.work(&report)
            try session.expect(ArchiveSession.quick)
            try failing.succeeded(name, on: connection)
        } catch let error where error is PostgresError || error is ArchiveError {
            guard connection.isOpen else {
                interrupted(task.partition, error)
                throw error
            }
            if error is PostgresError { try connection.rollback() }
            try session.expect(ArchiveSession.quick)
            try failing.failed(name, error, on: connection)
            report.failures.append((task.partition, "\(error)"))
            if let error = error as? ArchiveError, isOfDisk(error, &report) { throw error }
        }
    }

    /// Whether the disk or the bucket is to blame rather than the day: the disk is full or read-only,
    /// several days of this run failed on it, or the bucket's server does not do what is asked.
    private func isOfDisk(_ error: ArchiveError, _ report: inout RetentionReport) -> Bool {
        switch error {
        case .disk(_, _, ENOSPC), .disk(_, _, EDQUOT), .disk(_, _, EROFS), .bucket: return true
        case .disk, .damaged:
            report.diskFailures += 1
            return report.diskFailures >= Self.diskFailuresMax
        default: return false
        }
    }

    private static let diskFailuresMax = 3

    // MARK: Steps

    private func choose(
        _ partition: DayPartition, _ archive: Archive?
    ) throws -> ArchivedPart {
        try Sealing(session).makeLive(partition)
        try step(.choose, partition)
        try session.expect(ArchiveSession.quick, lockWait: configuration.renameWaitMax)
        if let archive {
            // Checked while queries still see the day's rows.
            let next = try ArchiveCatalog.nextPart(of: partition, on: connection)
            try archive.refuseForeign(
                Archive.fileName(partition, part: next), id: nil)
        }
        try DueHourSums.sumAll(of: partition, session, lockWait: configuration.renameWaitMax)
        try session.expect(ArchiveSession.quick, lockWait: configuration.renameWaitMax)
        let part = try connection.query(
            "SELECT sluice.begin_leaving($1, $2)", ArchiveCatalog.key(of: partition)
        ).int32(0, 0)
        var selection = ArchiveSelection()
        (selection.first, selection.last) = (partition.day, partition.day)
        selection.kinds = [partition.kind]
        let parts = try ArchiveCatalog.parts(selection, states: [.leaving], on: connection)
        guard let chosen = parts.first(where: { $0.part == part }) else {
            preconditionFailure("BUG: a part that was made is not there")
        }
        return chosen
    }

    private func leave(
        _ part: ArchivedPart, _ archive: Archive?, _ report: inout RetentionReport
    ) throws {
        if part.state == .leaving {
            try step(.detach, part.partition)
            try Detachment(session, configuration).detach(part)
            try step(.noteDetached, part.partition)
            try session.expect(ArchiveSession.quick)
            try connection.query(
                """
                UPDATE sluice.archive SET state = 'detached', changed_at = now()
                WHERE kind = $1 AND day = $2 AND part = $3 AND state = 'leaving'
                """, ArchiveCatalog.key(of: part))
        }
        if try DueHourSums.isDue(part.partition, on: connection) {
            // Readings were stored after the sums and before the day was detached.
            try PuttingBack(session).putBack(part, keep: .zero)
            return try leave(try choose(part.partition, archive), archive, &report)
        }
        let table = "sluice_partitions.\(ArchiveCatalog.quoted(part.leavingName))"
        try session.expect(ArchiveSession.long)
        let time = part.partition.kind.timeColumn
        let counted = try connection.query(
            """
            SELECT count(*), coalesce(min(\(time)), '-infinity'), coalesce(max(\(time)), 'infinity')
            FROM \(table)
            """)
        let rows = Int(counted.int64(0, 0))
        var file: Manifest?
        if rows > 0, let archive {
            file = try write(
                part, table, to: archive,
                rows: rows, times: (counted.timestamp(0, 1), counted.timestamp(0, 2)))
        }
        try step(.drop, part.partition)
        try drop(part, rows: rows, file, archive)
        if rows == 0 {
            report.empty.append(part.partition)
        } else if file == nil {
            report.dropped.append(part.partition)
        } else {
            report.archived.append(part.partition)
        }
        report.rows += rows
        report.bytes += file?.bytes ?? 0
        try step(.clean, part.partition)
        for old in try ArchiveCatalog.parts(states: [.replaced], on: connection)
        where old.partition == part.partition {
            try clean(old, archive)
        }
    }

    /// - Returns: the manifest, after reading the file back.
    private func write(
        _ part: ArchivedPart, _ table: String, to archive: Archive,
        rows: Int, times: (first: Int64, last: Int64)
    ) throws -> Manifest {
        try step(.copy, part.partition)
        let columns = TableCopy.fileColumns(
            try ArchiveCatalog.columns(of: table, on: connection))
        let name = Archive.fileName(part.partition, part: part.part)
        do {
            // Closed before it is read back: some file systems store a file only then.
            let writer = try archive.begin(name, id: part.id)
            let facts = try TableCopy(session).copy(table, columns, into: writer) {
                progress(part.partition, $0)
            }
            guard facts.rows == rows else {
                throw ArchiveError.rowsDiffer(
                    partition: part.partition.name, counted: rows, copied: facts.rows)
            }
            try step(.adopt, part.partition)
            let version = try connection.query(Migrator.versionQuery).int32(0, 0)
            var manifest = Manifest(
                part, file: name, columns: columns, facts, times: times,
                schemaVersion: Int(version), node: node)
            if !part.partition.kind.isRollup {
                (manifest.devices, manifest.devicesComplete) = try completeness(part, table)
            }
            try archive.adopt(writer, manifest)
        }
        try step(.verify, part.partition)
        return try archive.verify(name, id: part.id)
    }

    /// How many devices have rows, and of how many of them all rows are there, as far as it is
    /// known: see `analytics.completeness`.
    private func completeness(
        _ part: ArchivedPart, _ table: String
    ) throws(PostgresError) -> (devices: Int, complete: Int) {
        let kind = part.partition.kind.rawValue
        var parameters = Parameters()
        parameters.append(date: part.partition.day.number)
        let rows = try connection.query(
            """
            SELECT count(*), count(*) FILTER (WHERE least(s.\(kind)_until, s.last_seen)
                - CASE WHEN s.late_at > now() - interval '30 days'
                    THEN s.\(kind)_late_by_us ELSE 0 END * interval '1 microsecond'
                >= ($1 + sluice.partition_days())::timestamp AT TIME ZONE 'UTC')
            FROM (SELECT DISTINCT device_key FROM \(table)) k
            LEFT JOIN sluice.device_state s USING (device_key)
            """, parameters)
        return (Int(rows.int64(0, 0)), Int(rows.int64(0, 1)))
    }

    private func drop(
        _ part: ArchivedPart, rows: Int, _ file: Manifest?, _ archive: Archive?
    ) throws {
        var parameters = ArchiveCatalog.key(of: part)
        parameters.append(int8: Int64(rows))
        parameters.append(text: file?.file)
        parameters.append(text: file == nil ? nil : archive?.location)
        parameters.append(text: file == nil ? nil : node)
        parameters.append(int8: file.map { Int64($0.bytes) })
        parameters.append(int8: file.map { Int64($0.textBytes) })
        parameters.append(bytea: file.map { $0.facts.sha256 })
        try session.expect(ArchiveSession.long)
        try connection.query(
            "SELECT sluice.end_leaving($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", parameters)
    }

    /// Removes the file of a replaced part, then its row. The row stays while the file may exist
    /// elsewhere, because only the row records the file.
    private func clean(_ part: ArchivedPart, _ archive: Archive?) throws {
        // Also removes a file of a part that was put back before it was dropped.
        try archive?.removeOthers(of: part)
        if let file = part.file {
            guard let archive else { return }
            let isHere =
                part.directory == archive.location && (archive.store.isShared || part.node == node)
            guard try archive.remove(file, id: part.id) || isHere && archive.isWithout(file)
            else { throw ArchiveError.elsewhere(file: file, origin: part.origin) }
        }
        try session.expect(ArchiveSession.quick)
        try connection.query(
            """
            DELETE FROM sluice.archive
            WHERE kind = $1 AND day = $2 AND part = $3 AND state = 'replaced'
            """, ArchiveCatalog.key(of: part))
    }
}
