/// All that the rules look at. What could not be found out is nil.
public struct Facts: Sendable {
    /// Whether the database could be asked.
    public enum Reach: Sendable {
        case reached(DatabaseFacts)
        /// - Parameter reason: in words, without secrets.
        case unreachable(reason: String)
        /// It was written to before, or its like was, and this is not the one.
        ///
        /// - Parameter reason: as above.
        case eraRefused(reason: String)
        /// A connection pooler answers that gives each transaction another session.
        ///
        /// - Parameter reason: as above.
        case sessionsShared(reason: String)
        /// There is no private cluster in the data directory yet.
        case notMade
        /// PostgreSQL's programs, which a private cluster needs, are not there.
        ///
        /// - Parameter version: the one that made the cluster, where only others are there; nil where
        ///   there is none at all.
        case programsMissing(version: String?)
    }

    /// The database.
    public var database: Reach
    /// It is the private cluster.
    public var isPrivate: Bool
    /// The private cluster did not run, and was started to be asked.
    public var wasStarted = false
    /// What the configuration asks of machine and database.
    public var demand = Demand()
    /// This machine.
    public var machine = MachineFacts()
    /// Places that the server writes to.
    public var disks: [DiskFacts] = []
    /// Nil: plain HTTP.
    public var certificate: CertificateFacts?
    /// Nil: there is none, or none yet.
    public var spool: SpoolFacts?
    /// What is to leave the tables.
    public var retention = RetentionFacts()
    /// Who may call.
    public var access = AccessFacts()

    /// - Parameters:
    ///   - database: the rest has defaults.
    ///   - isPrivate: the database is the private cluster.
    public init(database: Reach, isPrivate: Bool) {
        self.database = database
        self.isPrivate = isPrivate
    }
}

/// Who may call.
public struct AccessFacts: Sendable {
    /// What the server listens on.
    public var host = "127.0.0.1"
    /// Nobody else can reach that.
    public var isLoopback = true
    /// Keys for readings in the configuration, or in the file that the server made.
    public var ingestKeys = 0
    /// The file with the made key can be read by others.
    public var isKeyFileOpen = false
    /// Nobody has to show anything but for readings.
    public var isOpen = false
    /// Nobody has to show anything where the path names the user.
    public var trustsPathUser = false
    /// The port speaks TLS.
    public var isSecure = false

    /// As the defaults are.
    public init() {}
}

/// Backup and replication, as far as the server tells.
public struct ArchiveFacts: Sendable {
    /// The last segment could not be archived.
    public var isFailing = false
    /// Log that inactive replication slots keep.
    public var slotBytes = 0
    /// Such slots.
    public var slots: [String] = []
    /// Physical slots whose log was removed.
    public var lostSlots: [String] = []

    /// Standbys that follow now; nil: this role may not see how far they are.
    public var standbys: [StandbyFacts]? = []

    /// No trouble.
    public init() {}
}

/// The server's certificate and its key.
public struct CertificateFacts: Sendable {
    /// Of the chain.
    public var path: String
    /// Of the key.
    public var keyPath: String
    /// Why they can't be used, with what to do; nil: they can.
    public var fault: String?
    /// When the certificate runs out.
    public var secondsLeft: Int64?
    /// Permissions of the key's file.
    public var keyMode: UInt32?

    /// Nothing is known of them.
    public init(path: String, keyPath: String) {
        self.path = path
        self.keyPath = keyPath
    }
}

/// The machine, or the container.
public struct MachineFacts: Sendable {
    /// Memory, or the container's share of it.
    public var memoryBytes: Int?
    /// Files that a process may have open: the hard limit, which the server raises its own to.
    public var openFilesMax: Int?
    /// That is the limit of the running server; otherwise of this process.
    public var isLimitOfServer = false
    /// Whether the kernel takes the clock for synchronised.
    public var isClockSynchronised: Bool?
    /// `net.core.somaxconn`.
    public var backlogMax: Int?

    /// Nothing is known.
    public init() {}
}

/// How days are to leave the tables.
public struct RetentionFacts: Sendable {
    /// Where they go.
    public enum Destination: Sendable, Equatable {
        /// Nowhere: they are dropped.
        case nowhere
        case directory(String, isThere: Bool)
    }

    /// That readings stay; 0: for ever.
    public var days = 0
    /// Of days that leave.
    public var destination = Destination.nowhere
    /// How many days may pass without a reading before days leave no more.
    public var quietDaysMax = 7

    /// Nothing leaves.
    public init() {}
}

/// What waits for the database.
public struct SpoolFacts: Sendable {
    /// The directory.
    public var path: String
    /// Files of all kinds.
    public var files = 0
    /// What they take on disk.
    public var bytes = 0
    /// Readings and units of work; nil where there was too much to read.
    public var units: Int?
    /// How long the oldest has been waiting.
    public var oldestSeconds: Int?
    /// Files that were moved aside because of damage.
    public var setAside: [String] = []
    /// Files that are damaged or can't be read, and were not moved aside yet.
    public var damaged: [String] = []
    /// Why it can't be looked at; nil: it can.
    public var fault: String?

    /// An empty one.
    public init(path: String) { self.path = path }
}

/// A standby, as the primary sees it.
public struct StandbyFacts: Sendable {
    /// Its `application_name`.
    public let name: String
    /// Commits wait for it.
    public let isSynchronous: Bool
    /// Log of the primary that it has not on disk.
    public let bytesBehind: Int

    /// A value by its parts.
    public init(name: String, isSynchronous: Bool, bytesBehind: Int) {
        self.name = name
        self.isSynchronous = isSynchronous
        self.bytesBehind = bytesBehind
    }
}

/// The state of Sluice's tables.
public struct TableFacts: Sendable {
    /// Partitions of the coming days that are missing; nil: could not be asked.
    public var missing: Int?
    /// The first day of which one is missing.
    public var firstMissingDay: String?
    /// Since the newest reading of any device, by the server's clock; nil: there is none, or it could
    /// not be asked.
    public var quietSeconds: Int?
    /// Tables whose autovacuum was switched off.
    public var withoutAutovacuum: [String] = []
    /// Days that are over and of which many rows were never vacuumed.
    public var daysUnvacuumed = 0
    /// Transactions since the oldest row of any table that is not frozen.
    public var oldestFrozenAge = 0
    /// The oldest transaction that is open.
    public var oldestTransactionSeconds: Int?
    /// Prepared transactions older than five minutes.
    public var preparedForgotten = 0

    /// Nothing is wrong.
    public init() {}
}

/// What waits, and what was set aside.
public struct WorkFacts: Sendable {
    /// Jobs that have failed too often.
    public var jobsDead = 0
    /// The kind and error that most of them have.
    public var jobsDeadMostly: String?
    /// Jobs that could run.
    public var jobsDue = 0
    /// How long the oldest of them could have.
    public var jobsDueSeconds = 0
    /// Readings in quarantine.
    public var quarantined = 0
    /// Those of the last day.
    public var quarantinedLastDay = 0
    /// The reason that most of these have.
    public var quarantinedMostly: String?
    /// Readings stored of all devices together.
    public var readings = 0
    /// Captures and meals from the spool that could not be stored.
    public var unitsSetAside = 0
    /// Keys that were made and are in force.
    public var keysInForce = 0
    /// Some of them open more than readings.
    public var hasApplicationKeys = false
    /// Names of keys that run out within a week.
    public var keysRunningOut: [String] = []

    /// Nothing.
    public init() {}
}
