import Ingestion
import Instruments
import Logging
import Postgres
import Readings
import ServiceLifecycle
import Spooling

extension Server {
    /// - Returns: the spool, recovered, if there is to be one.
    func openSpool(
        _ directory: DataDirectory
    ) throws(StartFailure) -> Spool<DirectoryDisk>? {
        guard configuration.spool.bytesMax > 0 else { return nil }
        let spool: Spool<DirectoryDisk>
        do throws(SpoolError) {
            spool = try Spool(
                DirectoryDisk(path: directory.spoolPath), configuration: configuration.fittingSpool)
        } catch {
            throw .spool(error)
        }
        spool.recovery.log(to: labelled("spool"))
        return spool
    }
}

extension SpoolRecovery {
    /// Writes what was found when the spool was opened, damage above all.
    func log(to logger: Logger) {
        if records > 0 {
            logger.notice(
                "batches and units of work wait in the spool",
                metadata: [
                    "records": "\(records)", "readings": "\(tally[.usual])",
                    "units": "\(units - tally[.usual])",
                ])
        }
        if bytesCut > 0 {
            logger.notice(
                "the end of a write that a crash cut off was dropped; it was never acknowledged",
                metadata: ["bytes": "\(bytesCut)"])
        }
        for bad in setAside {
            logger.critical(
                "\(bad.reason.text); what is whole is brought back, the file is kept",
                metadata: ["file": "\(bad.name)", "records": "\(bad.records)"])
        }
    }
}

extension Ingestor {
    /// Puts the core together as every part of this program does: the server, the replay of a spool
    /// without a server, and the commands that send quarantined readings and rejected units again. It
    /// knows every kind of unit that routes and sockets offer, so none of them can know fewer.
    ///
    /// - Parameters:
    ///   - rows: how lanes connect.
    ///   - coordinator: on Citus, of the coordinator; otherwise the same.
    ///   - spool: see the designated initializer, as for all others.
    convenience init(
        _ configuration: IngestionConfiguration, rows: ConnectionSettings,
        coordinator: ConnectionSettings, shards: ShardTable?,
        spool: sending Spool<DirectoryDisk>?, tail: Tail? = nil, registry: Registry,
        logger: Logger
    ) {
        self.init(
            configuration: configuration, settings: rows, coordinator: coordinator,
            shards: shards, spool: spool,
            // On Citus rows are committed by workers, whose standbys nobody looks at.
            tail: shards == nil ? tail : nil, unitKinds: Applications.unitKinds, registry: registry,
            logger: logger, clock: Timestamp.now)
    }
}

/// The lanes and the spool as a part of the service group: they work by themselves; this waits for
/// the end.
struct LanesService: Service {
    let ingestor: Ingestor
    /// How long the lanes go on committing when all clients are gone; the rest goes to the spool.
    let drainMax: Duration

    /// In a hurry the lanes are left as they are: what they hold was not acknowledged.
    func run() async throws {
        try await gracefulShutdown()
        let (finished, signal) = AsyncStream.makeStream(of: Void.self)
        Task {
            await ingestor.finish(by: .now + drainMax)
            signal.finish()
        }
        // Ends with the stream, or when this task is cancelled.
        for await _ in finished {}
    }
}
