/// What PostgreSQL says of itself and of Sluice's tables.
public struct DatabaseFacts: Sendable {
    /// 150004 is 15.4.
    public var version: Int
    /// The database's name.
    public var name = ""
    /// Who we are there.
    public var role = ""
    /// It can do everything.
    public var isSuperuser = false
    /// It may create schemas in the database.
    public var createsSchemas = true
    /// It may create roles, for analysts.
    public var createsRoles = true
    /// It sees what other roles do.
    public var monitors = true
    /// It owns the schema `sluice`, or is a member of who does; nil: there is none yet.
    public var ownsSchema: Bool?
    /// Steps that have run; nil: none.
    public var schemaVersion: Int?
    /// This binary may go on although a newer one has migrated.
    public var toleratesSchema = false
    /// Steps that this binary knows.
    public var binaryVersion: Int
    /// The connection goes through a pooler in session mode.
    public var isPooled = false
    /// It is a standby.
    public var isStandby = false
    /// The connection goes over a network; and is encrypted.
    public var isRemote = false
    /// The connection is encrypted.
    public var isEncrypted = false
    /// `pg_settings`, those that the rules know.
    public var settings: [String: ServerSetting] = [:]
    /// Of all databases and roles.
    public var connectionsInUse = 0
    /// The server's clock minus this machine's.
    public var clockSkewSeconds: Double?
    /// How exact that is: half of the time the question took.
    public var clockErrorSeconds = 0.0
    /// Bytes of the database.
    public var bytes = 0
    /// Whether trigrams are there, for finding foods.
    public var hasTrigrams = true
    /// Tables and their days.
    public var tables = TableFacts()
    /// Jobs, quarantine and the like.
    public var work = WorkFacts()
    /// Backup and replication.
    public var archive = ArchiveFacts()

    /// A server of which nothing else is known.
    public init(version: Int, binaryVersion: Int) {
        self.version = version
        self.binaryVersion = binaryVersion
    }
}
