/// All that the rules look at. What could not be found out is nil.
public struct Facts: Sendable {
    /// Whether the database could be asked.
    public enum Reach: Sendable {
        case reached(DatabaseFacts)
        /// - Parameter reason: in words, without secrets.
        case unreachable(reason: String)
        /// A connection pooler answers that gives each transaction another session.
        ///
        /// - Parameter reason: as above.
        case sessionsShared(reason: String)
        /// There is no private cluster in the data directory yet.
        case notMade
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
