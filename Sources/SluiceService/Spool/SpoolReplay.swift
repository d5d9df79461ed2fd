import Captures
import Foundation
import Ingestion
import Instruments
import Logging
import Readings
public import Spooling

extension DatabaseAccess {
    /// What a replay did.
    public struct ReplayReport: Sendable {
        /// Readings and units of work in the spool when it was opened.
        public let found: Int
        /// Those that are still there: the database does not take them.
        public let left: Int
    }

    /// Brings back what is in the spool through lanes of this process, without a server.
    ///
    /// - Parameters:
    ///   - patience: how long to go on while nothing moves.
    ///   - progress: called some times a second.
    /// - Throws: `.spool(.locked)` when a server has the spool, which brings it back by itself.
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
        let found = spool.figures.units
        let shards = try Self.shards(Self.connect(settings))
        let ingestor = Ingestor(
            configuration: configuration.ingestion, settings: rowSettings, coordinator: settings,
            shards: shards, spool: spool,
            unitKinds: [Capture.unitKind], registry: Registry(), logger: Logger(label: "replay"),
            clock: Timestamp.now)
        Self.wait { _ = await ingestor.connect() }
        var left = Self.follow(ingestor, patience, progress)
        Self.wait { await ingestor.finish(by: .now + .seconds(10)) }
        left = ingestor.spoolFigures?.units ?? left
        return ReplayReport(found: found, left: left)
    }

    /// Waits until nothing is left, or nothing has moved for `patience`.
    private static func follow(
        _ ingestor: Ingestor, _ patience: Duration, _ progress: (SpoolFigures) -> Void
    ) -> Int {
        var last = Int.max
        var movedAt = ContinuousClock.now
        while let figures = ingestor.spoolFigures, figures.units > 0 {
            progress(figures)
            if figures.units < last {
                last = figures.units
                movedAt = .now
            }
            if ContinuousClock.now - movedAt > patience { return figures.units }
            usleep(100_000)
        }
        return 0
    }

    /// Blocks the command's thread for work that is not its own.
    static func wait(_ work: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await work()
            done.signal()
        }
        done.wait()
    }
}
