import Auth
import Foundation
import Ingest
import Instruments
import Logging
import Postgres
import Readings
import Retention
import ServiceLifecycle
import SpoolLog

/// The parts that depend on the database. All of them work while it is unreachable.
struct DatabaseParts: Sendable {
    let registry = Registry()
    let ledger = ReadingLedger()
    let database: Database
    let ring: KeyRing
    let refresher: KeyRefresher
    let schema: SchemaKeeper
    let routes: RouteKeeper
    let epochs: EpochWatch
    let unreplicated: UnreplicatedCommits
    /// Includes this node's name.
    let ingestion: IngestionConfiguration

    private let rollups: RollupKeeper
    private let retention: RetentionKeeper
    private let sealing: SealingKeeper

    /// Must start in this order.
    var services: [any Service] {
        [epochs, schema, refresher, routes, rollups, retention, sealing]
    }

    /// Does not connect yet.
    init(
        _ configuration: ServiceConfiguration, _ host: DatabaseHost, _ database: Database,
        keys: ConfiguredKeys, _ labelled: (String) -> Logger
    ) {
        self.database = database
        let quota = configuration.keyBytesPerSecond
        ring = KeyRing(
            configured: keys, application: configuration.applicationKeys,
            bytesPerSecond: quota > 0 ? quota : nil, now: Timestamp.now)
        let remembered = RememberedKeys(
            path: DataDirectory(configuration.dataDirectory).rememberedKeysPath)
        if let keys = remembered.load() { ring.remember(keys) }
        refresher = KeyRefresher(
            ring: ring, database: database, interval: configuration.keyRefreshInterval,
            logger: labelled("access")
        ) { keys in
            try await blocking { Result { try remembered.save(keys) } }.get()
        }
        schema = SchemaKeeper(settings: host.settings, logger: labelled("schema"))
        rollups = RollupKeeper(
            database: database, isOn: configuration.sumsHours, registry: registry,
            logger: labelled("rollups"))
        routes = RouteKeeper(
            database: database, durability: configuration.ingestion.durability,
            logger: labelled("routes"))
        unreplicated = UnreplicatedCommits(
            bytesMax: configuration.spool.bytesMax > 0
                ? configuration.ingestion.unreplicatedBytesMax : 0,
            durability: configuration.ingestion.durability,
            patience: configuration.ingestion.patience)
        epochs = EpochWatch(
            host.settings, host.epochs, unreplicated, registry: registry, logger: labelled("epoch"))
        var ingestion = configuration.ingestion
        if ingestion.node.isEmpty { ingestion.node = ProcessInfo.processInfo.hostName }
        self.ingestion = ingestion
        retention = RetentionKeeper(
            settings: host.settings, configuration.fittingRetention, node: ingestion.node,
            registry: registry, logger: labelled("retention"))
        sealing = SealingKeeper(
            settings: host.settings, configuration.fittingRetention, registry: registry,
            logger: labelled("sealing"))
        registry.add(ledger)
        registry.add(ProcessFigures())
        registry.gauge(
            "sluice_keys", help: "API keys in force.", labels: [MetricLabel("origin", "configured")]
        ) { [ring] in Double(ring.configuredCount) }
        registry.gauge(
            "sluice_keys", help: "API keys in force.", labels: [MetricLabel("origin", "issued")]
        ) { [ring] in Double(ring.issuedCount) }
    }
}
