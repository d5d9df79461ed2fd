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
    /// Tables and their days.
    public var tables = TableFacts()
    /// Jobs, quarantine and the like.
    public var work = WorkFacts()
    /// Backup and replication.
    public var archive = ArchiveFacts()
    /// Nil: plain PostgreSQL.
    public var citus: CitusFacts?

    /// A server of which nothing else is known.
    public init(version: Int, binaryVersion: Int) {
        self.version = version
        self.binaryVersion = binaryVersion
    }
}

/// A row of `pg_settings`.
public struct ServerSetting: Sendable, Equatable {
    /// In the setting's own unit.
    public var value: String
    /// `8kB`, `s`, `ms`, …; blank for numbers and words.
    public var unit: String
    /// It takes a restart to change it.
    public var needsRestart: Bool

    /// As `pg_settings` gives it.
    public init(_ value: String, unit: String = "", needsRestart: Bool = false) {
        self.value = value
        self.unit = unit
        self.needsRestart = needsRestart
    }

    /// A number in bytes or seconds; nil for words.
    var number: Int? {
        guard let number = Double(value) else { return nil }
        let factor: Double =
            switch unit {
            case "B": 1
            case "kB": 1024
            case "8kB": 8192
            case "16kB": 16_384
            case "MB": 1_048_576
            case "ms": 0.001
            case "min": 60
            default: 1
            }
        return Int(number * factor)
    }
}
