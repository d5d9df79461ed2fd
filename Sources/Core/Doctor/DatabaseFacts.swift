/// What PostgreSQL reports about itself and about Sluice's tables.
public struct DatabaseFacts: Sendable {
    /// 150004 stands for 15.4.
    public var version: Int
    /// The database's name.
    public var name = ""
    /// The role that we are connected as.
    public var role = ""
    /// The role is a superuser.
    public var isSuperuser = false
    /// The role may create schemas in the database.
    public var createsSchemas = true
    /// The role may create roles, as for analysts.
    public var createsRoles = true
    /// The role is a member of `pg_monitor`, so it sees other roles' sessions.
    public var monitors = true
    /// The role owns the schema `sluice`, directly or as a member; nil: there is no such schema.
    public var ownsSchema: Bool?
    /// Number of migrations that have run; nil: none.
    public var schemaVersion: Int?
    /// This binary may still write although a newer one has migrated the schema.
    public var toleratesSchema = false
    /// Number of migrations that this binary knows.
    public var binaryVersion: Int
    /// The connection goes through a pooler in session mode.
    public var isPooled = false
    /// The server is a standby.
    public var isStandby = false
    /// The connection uses a network.
    public var isRemote = false
    /// The connection uses TLS.
    public var isEncrypted = false
    /// The rows of `pg_settings` that the rules need.
    public var settings: [String: ServerSetting] = [:]
    /// Connections of all databases and roles.
    public var connectionsInUse = 0
    /// The server's clock minus this machine's.
    public var clockSkewSeconds: Double?
    /// Maximum error of the skew: half of the query's round trip.
    public var clockErrorSeconds = 0.0
    /// Partitions, vacuum and transactions.
    public var tables = TableFacts()
    /// Jobs, quarantine, rejected units and keys.
    public var work = WorkFacts()
    /// Backup and replication.
    public var archive = ArchiveFacts()
    /// nil: plain PostgreSQL.
    public var citus: CitusFacts?
    /// The roles of analysts.
    public var analysts = AnalystFacts()
    /// nil: there are no tables yet.
    public var alterations: AlterationFacts?

    /// A server about which nothing else is known.
    public init(version: Int, binaryVersion: Int) {
        self.version = version
        self.binaryVersion = binaryVersion
    }
}
