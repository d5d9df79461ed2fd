public import HTTP
import Foundation
public import Ingest
public import Instruments
import Logging
public import Readings
public import Retention
public import SpoolLog

/// All settings with their defaults. ``Settings`` maps the keys to these fields.
public struct ServiceConfiguration: Sendable {
    /// Holds the private cluster and the generated key; created if it is missing.
    public var dataDirectory = "./var"
    /// The operator's server; nil: a private cluster in the data directory.
    public var databaseURL: Secret?
    /// On Citus, the coordinator, for schema changes and all rows without a device; nil:
    /// ``databaseURL``.
    public var coordinatorURL: Secret?
    /// Keys besides those in the database, comma-separated; nil: one is made and kept in the data
    /// directory.
    public var ingestKeys: Secret?
    /// The lowest level that is logged.
    public var logLevel = LogLevel.info
    /// The format of log lines.
    public var logFormat = LogFormat.logfmt
    /// The directory of the private cluster's programs; blank: they are searched for.
    public var postgresBinDirectory = ""
    /// Analysts' port of the private cluster, on 127.0.0.1; 0: a free one; -1: none.
    public var analystPort = 0
    /// How batches become transactions.
    public var ingestion = IngestionConfiguration()
    /// For batches that are pending while the database is unreachable; 0 bytes: no spool.
    public var spool = SpoolConfiguration()
    /// How long a node that has served before waits for its database at a start, before it listens
    /// and spools; a new node waits without a limit.
    public var startWaitMax: Duration = .seconds(2)
    /// The address and limits of the server.
    public var edge = HTTPConfiguration()
    /// The limits of readings.
    public var limits = ReadingLimits()
    /// How long each kind of data is kept.
    public var retention = RetentionConfiguration()
    /// The access key id for buckets.
    public var bucketKeyID: Secret?
    /// The secret access key for buckets.
    public var bucketKey: Secret?
    /// The session token for buckets, for keys that expire.
    public var bucketToken: Secret?
    /// Authentication and TLS.
    public var callers = CallerSettings()
    /// How long a revoked key may still work on each node.
    public var keyRefreshInterval: Duration = .seconds(2)
    /// Whether this node sums up past hours.
    public var sumsHours = true

    /// The rate limit of keys without a quota of their own; 0: none.
    public var keyBytesPerSecond = 0

    /// The texts that were given, by setting key.
    var given: [String: Secret] = [:]

    /// The apps that are built into the product.
    let apps: [any App]
    /// Settings of apps, by their types.
    private var groups: [ObjectIdentifier: any Sendable] = [:]

    /// The defaults.
    public init(apps: [any App] = []) {
        self.apps = apps
    }

    /// A group of an app's settings, by its type; nil if none of them was set.
    public subscript<Group: Sendable>(type: Group.Type) -> Group? {
        get { groups[ObjectIdentifier(type)] as? Group }
        set { groups[ObjectIdentifier(type)] = newValue }
    }

    /// The kinds of units that lanes write: all that a spool may hold.
    var unitKinds: [UnitKind] { apps.flatMap(\.unitKinds) }

    /// Keys of settings whose given text differs, or that only one of the two gives; sorted.
    func differences(from other: ServiceConfiguration) -> [String] {
        Settings(apps: apps).all.map(\.key).filter { given[$0] != other.given[$0] }.sorted()
    }

    /// The longest that a stop can take: clients, lanes, apps, the private cluster, and ten seconds
    /// for remaining writes.
    var stopMax: Duration {
        apps.reduce(
            edge.shutdownWithin + ingestion.attemptMax + DatabaseHost.stopMax + .seconds(10)
        ) { $0 + $1.stopMax(self) }
    }

    /// The most connections to the database that one server opens at a time, and a command.
    var databaseConnectionsMax: Int {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let lanes = ingestion.lanes > 0 ? ingestion.lanes : min(max(cores, 2), 8)
        // Lanes; routes and upkeep; the epoch, and its search for other hosts; retention and its
        // turn; one for a command.
        return apps.reduce(lanes + 3 + 2 + 2 + 1) { $0 + $1.databaseConnectionsMax(self) }
    }

    /// ``spool`` with limits that fit: a record holds the largest batch (tuples are at most a
    /// quarter longer than their JSON), and a file of whole pages holds the largest record.
    var fittingSpool: SpoolConfiguration {
        var fitting = spool
        fitting.recordBytesMax = max(spool.recordBytesMax, edge.bodyBytesMax / 2 * 3)
        let needed = fitting.recordBytesMax / 100 * 101 + (1 << 16)
        fitting.segmentBytesMax = (max(spool.segmentBytesMax, needed) + 4095) / 4096 * 4096
        fitting.bytesMax = max(spool.bytesMax, fitting.segmentBytesMax)
        return fitting
    }
}
