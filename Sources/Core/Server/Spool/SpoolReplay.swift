import Foundation
import Ingest
import Instruments
import Logging
import Readings
public import SpoolLog

extension DatabaseAccess {
    /// The result of a replay.
    public struct ReplayReport: Sendable {
        /// Readings and units of work in the spool when it was opened.
        public let found: Int
        /// Those that remain: the database does not accept them, or this version can't replay them.
        public let left: Int
        /// Those of `left` whose kind this version does not know, by kind. Other units of their
        /// record are replayed, but count as left.
        public let unknown: [String: Int]
        /// Further records remain because the database does not accept them.
        public let isDatabaseRefusing: Bool
        /// Damage was found in the spool. Undamaged records are replayed; the log names the files.
        public let isDamaged: Bool
        /// Files of which a part could not be read. They stay in the spool.
        public let unread: Int
    }

    /// Replays the spool through this process's lanes, without a server.
    ///
    /// - Parameters:
    ///   - patience: how long to continue without progress.
    ///   - takesBackDamaged: also replays what can be read of files that were moved aside because
    ///     of damage.
    ///   - progress: called several times a second.
    /// - Throws: `.spool(.locked)` if a server has the spool; it replays the spool itself.
    public borrowing func replaySpool(
        _ configuration: ServiceConfiguration, patience: Duration, takesBackDamaged: Bool = false,
        progress: (SpoolFigures) -> Void
    ) throws(StartFailure) -> ReplayReport {
        _ = try migrate()
        let path = DataDirectory(configuration.dataDirectory).spoolPath
        let spool: Spool<DirectoryDisk>
        do throws(SpoolError) {
            spool = try Spool(
                DirectoryDisk(path: path), configuration: configuration.fittingSpool,
                takesBackDamaged: takesBackDamaged)
        } catch {
            throw .spool(error)
        }
        let logger = Logger(label: "replay")
        spool.recovery.log(to: logger)
        let found = spool.figures
        let isDamagedAtOpening = !spool.recovery.setAside.isEmpty
        let shards = try Self.shards(Self.connect(settings))
        var ingestion = configuration.ingestion
        ingestion.daysPerMinuteMax = 100_000
        let registry = Registry()
        let ingestor = Ingestor(
            ingestion, rows: rowSettings, coordinator: settings, shards: shards,
            spool: spool, unitKinds: configuration.unitKinds, registry: registry,
            logger: logger)
        Self.wait { _ = await ingestor.connect() }
        Self.follow(ingestor, patience, progress)
        Self.wait { await ingestor.finish(by: .now + .seconds(10)) }
        let (figures, kept) = (ingestor.spoolFigures, ingestor.keptRecords)
        // Files that could not be read at first may have held more.
        let metrics = registry.figures()
        let revealed =
            metrics.sum("sluice_spool_found_readings_total")
            + metrics.sum("sluice_spool_found_units_total")
        return ReplayReport(
            found: Int(revealed), left: figures?.units ?? 0,
            unknown: kept.unknownUnits,
            isDatabaseRefusing: (figures?.records ?? 0) > kept.count,
            isDamaged: isDamagedAtOpening || (figures?.setAside ?? 0) > found.setAside,
            unread: figures?.unread ?? 0)
    }

    /// Waits until all records that can be replayed are replayed, or until `patience` passes
    /// without progress.
    private static func follow(
        _ ingestor: Ingestor, _ patience: Duration, _ progress: (SpoolFigures) -> Void
    ) {
        var last = (units: 0, unread: 0)
        var movedAt = ContinuousClock.now
        while let figures = ingestor.spoolFigures,
            figures.records > ingestor.keptRecords.count || figures.unread > 0
        {
            progress(figures)
            if last != (figures.units, figures.unread) {
                last = (figures.units, figures.unread)
                movedAt = .now
            }
            if ContinuousClock.now - movedAt > patience { return }
            usleep(100_000)
        }
    }

    /// Blocks the command's thread until asynchronous work is done.
    public static func wait(_ work: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await work()
            done.signal()
        }
        done.wait()
    }
}
