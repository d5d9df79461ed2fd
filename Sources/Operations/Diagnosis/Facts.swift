/// The input of the rules. Unknown values are nil.
public struct Facts: Sendable {
    /// The outcome of connecting to the database.
    public enum Reach: Sendable {
        case reached(DatabaseFacts)
        /// - Parameter reason: text for the operator, without secrets.
        case unreachable(reason: String)
        /// Not the database that was written to before, according to its era.
        ///
        /// - Parameter reason: text for the operator, without secrets.
        case eraRefused(reason: String)
        /// A connection pooler that gives each transaction another session.
        ///
        /// - Parameter reason: text for the operator, without secrets.
        case sessionsShared(reason: String)
        /// The private cluster does not exist yet.
        case notMade
        /// PostgreSQL's programs, which a private cluster needs, are not installed.
        ///
        /// - Parameter version: the version that created the cluster, if only other versions are
        ///   installed; nil if none is installed.
        case programsMissing(version: String?)
    }

    /// The database and what it reports.
    public var database: Reach
    /// The database is the private cluster.
    public var isPrivate: Bool
    /// The private cluster was not running and was started for the examination.
    public var wasStarted = false
    /// What the configuration requires of the machine and the database.
    public var demand = Demand()
    /// This machine.
    public var machine = MachineFacts()
    /// The server that runs on this data directory; nil: none was found.
    public var server: ServerFacts?
    /// The places that the server writes to.
    public var disks: [DiskFacts] = []
    /// nil: plain HTTP.
    public var certificate: CertificateFacts?
    /// nil: there is no spool, or it does not exist yet.
    public var spool: SpoolFacts?
    /// Which days are to be archived or dropped.
    public var retention = RetentionFacts()
    /// Keys, tokens and open routes.
    public var access = AccessFacts()

    /// - Parameters:
    /// - database: the outcome of connecting; all other facts have defaults.
    /// - isPrivate: whether the database is the private cluster.
    public init(database: Reach, isPrivate: Bool) {
        self.database = database
        self.isPrivate = isPrivate
    }
}

/// What a running server says of itself.
public struct ServerFacts: Sendable {
    /// Its lanes; nil: it did not show its status.
    public var lanes: Int?
    /// On Citus, those whose rows do not go straight to the node that has them; nil: it did not
    /// show it.
    public var lanesNotDirect: Int?

    /// A server that shows nothing.
    public init() {}
}

/// Who may call the server.
public struct AccessFacts: Sendable {
    /// The address that the server listens on.
    public var host = "127.0.0.1"
    /// Only this machine can reach that address.
    public var isLoopback = true
    /// Configured keys for readings, including the key file that the server made.
    public var ingestKeys = 0
    /// Other users of the machine can read the key file that the server made.
    public var isKeyFileOpen = false
    /// No credentials are needed, except for readings.
    public var isOpen = false
    /// No credentials are needed where the path names the user.
    public var trustsPathUser = false
    /// The port uses TLS.
    public var isSecure = false

    /// The defaults of the configuration.
    public init() {}
}

/// State of backup and replication, as far as this role may see it.
public struct ArchiveFacts: Sendable {
    /// Archiving the last WAL segment failed.
    public var isFailing = false
    /// WAL that inactive replication slots retain, in bytes.
    public var slotBytes = 0
    /// The names of these slots.
    public var slots: [String] = []
    /// Physical slots whose WAL was removed.
    public var lostSlots: [String] = []

    /// The connected standbys; nil: this role may not see their positions.
    public var standbys: [StandbyFacts]? = []

    /// Archiving works; no slots, no standbys.
    public init() {}
}

/// The server's certificate and private key.
public struct CertificateFacts: Sendable {
    /// Path of the certificate chain.
    public var path: String
    /// Path of the private key.
    public var keyPath: String
    /// Why they can't be used, and how to correct it; nil: they can.
    public var fault: String?
    /// Time until the certificate expires; negative: it has expired.
    public var secondsLeft: Int64?
    /// Permissions of the private key's file.
    public var keyMode: UInt32?

    /// Both files, with nothing known about them.
    public init(path: String, keyPath: String) {
        self.path = path
        self.keyPath = keyPath
    }
}

/// The machine or container.
public struct MachineFacts: Sendable {
    /// Memory of the machine, or the container's limit.
    public var memoryBytes: Int?
    /// Maximum number of open files of a process: the hard limit, to which the server raises its
    /// soft limit.
    public var openFilesMax: Int?
    /// True: `openFilesMax` is the running server's limit; false: it is this process's.
    public var isLimitOfServer = false
    /// Whether the kernel considers its clock synchronised.
    public var isClockSynchronised: Bool?
    /// `net.core.somaxconn`.
    public var backlogMax: Int?
    /// The program that reads uploaded files, and whether it is there.
    public var inspector: (path: String, isInstalled: Bool)?

    /// A machine about which nothing is known.
    public init() {}
}

/// How days leave the tables.
public struct RetentionFacts: Sendable {
    /// What happens to a day that leaves.
    public enum Destination: Sendable, Equatable {
        /// It is dropped.
        case nowhere
        case directory(String, isThere: Bool)
    }

    /// Days for which readings stay in the tables; 0: for ever.
    public var days = 0
    /// What happens to a day that leaves.
    public var destination = Destination.nowhere
    /// After this many days without a reading, no more days leave.
    public var quietDaysMax = 7

    /// Readings stay for ever.
    public init() {}
}

/// The spool's contents and state.
public struct SpoolFacts: Sendable {
    /// The spool's directory.
    public var path: String
    /// Number of files of all kinds.
    public var files = 0
    /// Their size on disk.
    public var bytes = 0
    /// Pending readings and units of work; nil if there is too much to read.
    public var units: Int?
    /// Age of the oldest pending record.
    public var oldestSeconds: Int?
    /// Files that were moved aside because of damage.
    public var setAside: [String] = []
    /// Those of ``setAside`` that hold records and are intact.
    public var setAsideIntact: [String] = []
    /// Files that are damaged and were not moved aside yet.
    public var damaged: [String] = []
    /// Files that can't be read completely now, and why.
    public var unread: [String] = []
    /// Why the spool can't be examined; nil: it can.
    public var fault: String?

    /// An empty spool.
    public init(path: String) { self.path = path }
}

/// A standby, as the primary sees it.
public struct StandbyFacts: Sendable {
    /// Its `application_name`.
    public let name: String
    /// Commits wait for it.
    public let isSynchronous: Bool
    /// WAL of the primary that the standby has not flushed to disk.
    public let bytesBehind: Int

    /// Creates the facts of one standby.
    public init(name: String, isSynchronous: Bool, bytesBehind: Int) {
        self.name = name
        self.isSynchronous = isSynchronous
        self.bytesBehind = bytesBehind
    }
}

/// The state of Sluice's tables.
public struct TableFacts: Sendable {
    /// Partitions of readings.
    public var partitions = 0
    /// Missing partitions of the coming days; nil: unknown.
    public var missing: Int?
    /// The first day with a missing partition.
    public var firstMissingDay: String?
    /// Age of the newest reading of all devices, by the database's clock; nil: there is none, or it
    /// is unknown.
    public var quietSeconds: Int?
    /// Tables for which autovacuum is disabled.
    public var withoutAutovacuum: [String] = []
    /// Partitions of past days with over a million rows that were never vacuumed.
    public var daysUnvacuumed = 0
    /// Age in transactions of the oldest row in the database that is not frozen.
    public var oldestFrozenAge = 0
    /// Age of the oldest open transaction.
    public var oldestTransactionSeconds: Int?
    /// Prepared transactions older than five minutes.
    public var preparedForgotten = 0
    /// Sessions that hold locks on our tables and have done nothing for a while, the longest first.
    public var idleHolders: [IdleHolder] = []

    /// Tables without any fault.
    public init() {}
}

/// A session with an open transaction that has locks and does nothing.
public struct IdleHolder: Sendable, Equatable {
    /// The process id of its backend.
    public var pid: Int
    /// Its role.
    public var role: String
    /// How long it has done nothing.
    public var idleSeconds: Int

    /// For the gathering, and for tests of rules.
    public init(pid: Int, role: String, idleSeconds: Int) {
        self.pid = pid
        self.role = role
        self.idleSeconds = idleSeconds
    }
}

/// Jobs, quarantine, rejected units and keys.
public struct WorkFacts: Sendable {
    /// The failing items of one pass.
    public struct FailingPass: Sendable {
        /// As in the metric's label.
        public var pass: String
        /// How many items.
        public var count: Int
        /// The item that has failed most often.
        public var item: String
        /// How often it has failed in a row.
        public var attempts: Int
        /// Its last failure.
        public var error: String

        /// Takes all values.
        public init(pass: String, count: Int, item: String, attempts: Int, error: String) {
            self.pass = pass
            self.count = count
            self.item = item
            self.attempts = attempts
            self.error = error
        }
    }

    /// Jobs that were given up after too many failures.
    public var jobsDead = 0
    /// Their most frequent kind and error.
    public var jobsDeadMostly: String?
    /// Items that background passes can't process, one entry for each pass.
    public var failing: [FailingPass] = []
    /// Jobs that are due and have no lease.
    public var jobsDue = 0
    /// How long the oldest due job has been due; a job whose lease has expired counts too.
    public var jobsDueSeconds = 0
    /// Readings in quarantine.
    public var quarantined = 0
    /// Readings quarantined in the last day.
    public var quarantinedLastDay = 0
    /// Their most frequent reason.
    public var quarantinedMostly: String?
    /// Stored readings of all devices.
    public var readings = 0
    /// Captures and meals from the spool that the database rejected.
    public var unitsSetAside = 0
    /// Devices with hours that could not be summed.
    public var devicesUnsummed = 0
    /// Some of them, each with its hours, the first one's day and the SQLSTATE.
    public var devicesUnsummedMostly: [String] = []
    /// The first and the last day of these hours.
    public var daysUnsummed: (first: String, last: String)?
    /// Issued keys in force.
    public var keysInForce = 0
    /// Some of these keys have an application scope.
    public var hasApplicationKeys = false
    /// Names of keys that expire within a week.
    public var keysRunningOut: [String] = []

    /// All zero.
    public init() {}
}
