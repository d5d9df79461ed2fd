import Foundation
import Ingestion
import Instruments
import Logging
import Readings
public import Spooling

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
    }

    /// Replays the spool through this process's lanes, without a server.
    ///
    /// - Parameters:
    ///   - patience: how long to continue without progress.
    ///   - progress: called several times a second.
    /// - Throws: `.spool(.locked)` if a server has the spool; it replays the spool itself.
    public borrowing func replaySpool(
        _ configuration: ServiceConfiguration, patience: Duration,
        progress: (SpoolFigures) -> Void
    ) throws(StartFailure) -> ReplayReport {
        _ = try migrate()
        let path = DataDirectory(configuration.dataDirectory).spoolPath
        let spool: Spool<DirectoryDisk>
        do throws(SpoolError) {
            spool = try Spool(DirectoryDisk(path: path), configuration: configuration.fittingSpool)
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
        let ingestor = Ingestor(
            ingestion, rows: rowSettings, coordinator: settings, shards: shards,
            spool: spool, registry: Registry(), logger: logger)
        Self.wait { _ = await ingestor.connect() }
        Self.follow(ingestor, patience, progress)
        Self.wait { await ingestor.finish(by: .now + .seconds(10)) }
        let (figures, kept) = (ingestor.spoolFigures, ingestor.keptRecords)
        return ReplayReport(
            found: found.units, left: figures?.units ?? 0, unknown: kept.unknownUnits,
            isDatabaseRefusing: (figures?.records ?? 0) > kept.count,
            isDamaged: isDamagedAtOpening || (figures?.setAside ?? 0) > found.setAside)
    }

    /// Waits until all records that can be replayed are replayed, or until `patience` passes
    /// without progress.
    private static func follow(
        _ ingestor: Ingestor, _ patience: Duration, _ progress: (SpoolFigures) -> Void
    ) {
        var last = Int.max
        var movedAt = ContinuousClock.now
        while let figures = ingestor.spoolFigures, figures.records > ingestor.keptRecords.count {
            progress(figures)
            if figures.units < last {
                last = figures.units
                movedAt = .now
            }
            if ContinuousClock.now - movedAt > patience { return }
            usleep(100_000)
        }
    }

    /// Blocks the command's thread until asynchronous work is done.
    static func wait(_ work: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await work()
            done.signal()
        }
        done.wait()
    }
}
