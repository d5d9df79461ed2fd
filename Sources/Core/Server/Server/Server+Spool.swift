import Ingest
import Instruments
import Logging
import Postgres
import Readings
import ServiceLifecycle
import SpoolLog

extension Server {
    /// - Returns: the spool after its recovery; nil if none is configured.
    func openSpool(
        _ directory: DataDirectory
    ) throws(StartFailure) -> Spool<DirectoryDisk>? {
        guard configuration.spool.bytesMax > 0 else {
            logIdleSpool(directory)
            return nil
        }
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

    /// Logs that an earlier run has left acknowledged data, which nobody replays now.
    private func logIdleSpool(_ directory: DataDirectory) {
        guard let disk = try? DirectoryDisk(readingFrom: directory.spoolPath),
            let reports = try? SpoolVerification.verify(disk)
        else { return }
        let files = reports.count { $0.records > 0 || $0.readError != nil }
        guard files > 0 else { return }
        labelled("spool").critical(
            """
            SLUICE_SPOOL_BYTES_MAX is 0, but the spool has acknowledged data that is not stored: run \
            `sluice spool replay`
            """,
            metadata: ["path": "\(directory.spoolPath)", "files": "\(files)"])
    }
}

extension SpoolRecovery {
    /// Logs what opening the spool found, above all damage.
    func log(to logger: Logger) {
        if records > 0 {
            logger.notice(
                "the spool has pending batches and units of work",
                metadata: [
                    "records": "\(records)", "readings": "\(tally[.usual])",
                    "units": "\(units - tally[.usual])",
                ])
        }
        if bytesCut > 0 {
            logger.notice(
                "dropped the end of a write that a crash interrupted; it was never acknowledged",
                metadata: ["bytes": "\(bytesCut)"])
        }
        for name in returned {
            logger.notice(
                "a spool file that was moved aside is replayed", metadata: ["file": "\(name)"])
        }
        for file in unread {
            logger.critical(
                """
                a spool file can't be read completely now; it stays where it is, and what is missing \
                is replayed once it can be read
                """,
                metadata: [
                    "file": "\(file.name)", "error": "\(file.error.map { "\($0)" } ?? "")",
                ])
        }
        for bad in setAside {
            logger.critical(
                "\(bad.reason.text); intact records are replayed, and the file is kept",
                metadata: ["file": "\(bad.name)", "records": "\(bad.records)"])
        }
    }
}

extension Ingestor {
    /// Assembles the core for all its uses: the server, the replay without a server, and the
    /// commands that requeue readings and units.
    ///
    /// - Parameters:
    ///   - rows: the lanes' connection settings.
    ///   - coordinator: on Citus, the coordinator's settings; otherwise the same.
    ///   - unitKinds: all that apps offer (``ServiceConfiguration/unitKinds``).
    ///   - spool: see the designated initializer, as for the other parameters.
    convenience init(
        _ configuration: IngestionConfiguration, rows: ConnectionSettings,
        coordinator: ConnectionSettings, shards: ShardTable?,
        spool: sending Spool<DirectoryDisk>?, unreplicated: UnreplicatedCommits? = nil,
        unitKinds: [UnitKind],
        registry: Registry,
        logger: Logger
    ) {
        self.init(
            configuration: configuration, settings: rows, coordinator: coordinator,
            shards: shards, spool: spool,
            // On Citus, workers commit the rows, and nothing watches the workers' standbys.
            unreplicated: shards == nil ? unreplicated : nil, unitKinds: unitKinds,
            registry: registry,
            logger: logger, clock: Timestamp.now)
    }
}
