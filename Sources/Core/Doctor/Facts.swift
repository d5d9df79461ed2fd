import Postgres

/// The input of the rules. Unknown values are nil.
public struct Facts: Sendable {
    /// The outcome of connecting to the database.
    public enum Reach: Sendable {
        case reached(DatabaseFacts)
        /// - Parameter reason: text for the operator, without secrets.
        case unreachable(reason: String)
        /// Not the database that was written to before, according to its epoch.
        ///
        /// - Parameter reason: text for the operator, without secrets.
        case epochRefused(reason: String)
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
