import Ingestion
import Instruments
import Logging
import Postgres
import Readings
import Spooling

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
        spool: sending Spool<DirectoryDisk>?, registry: Registry, logger: Logger
    ) {
        self.init(
            configuration: configuration, settings: rows, coordinator: coordinator,
            shards: shards, spool: spool, unitKinds: Applications.unitKinds, registry: registry,
            logger: logger, clock: Timestamp.now)
    }
}
