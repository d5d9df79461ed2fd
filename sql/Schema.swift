/// The database schema as numbered migrations, embedded in the binary.
///
/// A file is never changed, only followed by another, because every database that has run it holds
/// its checksum. The checksum of a step with a data file includes the data.
///
/// Steps run beside live traffic. They lock a big table only for as long as a catalogue change
/// takes: they rewrite no rows, and add no index or constraint that has to read them.
public enum Schema {
    /// One step, which runs in its own transaction.
    public struct Migration: Sendable {
        /// Starts at 1 and has no gaps.
        public let number: Int
        /// The file's name without number and extension.
        public let name: String
        /// The contents of the file, in UTF-8.
        public let sql: [UInt8]
        /// The oldest binary, named by its last step, that may continue to write and answer after
        /// the step has run. The step adds only things that such binaries don't use, and changes
        /// nothing that they do use.
        public let oldestBinary: Int
        /// Tables that the step needs exclusively, in the order in which lanes lock them. They are
        /// locked before the step does anything.
        public let locks: [String]

        /// - Parameter oldestBinary: by default the first binary that has the step itself.
        public init(
            number: Int, name: String, sql: [UInt8], oldestBinary: Int? = nil, locks: [String] = []
        ) {
            self.number = number
            self.name = name
            self.sql = sql
            self.oldestBinary = oldestBinary ?? number
            self.locks = locks
        }
    }

    /// All migrations in order. The file `0001_readings.sql` becomes `Embedded._0001_readings_sql`.
    /// The first ones are the baseline, a step for each topic.
    public static let migrations: [Migration] = [
        Migration(number: 1, name: "readings", sql: Embedded._0001_readings_sql),
        Migration(number: 2, name: "rollups", sql: Embedded._0002_rollups_sql),
        Migration(number: 3, name: "days", sql: Embedded._0003_days_sql),
        Migration(number: 4, name: "retention", sql: Embedded._0004_retention_sql),
        Migration(number: 5, name: "rejected", sql: Embedded._0005_rejected_sql),
        Migration(number: 6, name: "keys", sql: Embedded._0006_keys_sql),
        Migration(number: 7, name: "nodes", sql: Embedded._0007_nodes_sql),
        Migration(number: 8, name: "erasure", sql: Embedded._0008_erasure_sql),
        Migration(number: 9, name: "analytics", sql: Embedded._0009_analytics_sql),
        Migration(number: 10, name: "sums", sql: Embedded._0010_sums_sql),
        Migration(number: 11, name: "completeness", sql: Embedded._0011_completeness_sql),
        Migration(number: 12, name: "jobs", sql: Embedded._0012_jobs_sql),
        Migration(number: 13, name: "notices", sql: Embedded._0013_notices_sql),
        Migration(number: 14, name: "media", sql: Embedded._0014_media_sql),
        Migration(number: 15, name: "captures", sql: Embedded._0015_captures_sql),
        Migration(number: 16, name: "meals", sql: Embedded._0016_meals_sql),
        Migration(number: 17, name: "foods", sql: foods),
        Migration(number: 18, name: "journal", sql: Embedded._0018_journal_sql),
        // Older binaries know one user of a device.
        Migration(
            number: 19, name: "users", sql: Embedded._0019_users_sql,
            locks: ["sluice.device", "sluice.device_state", "sluice.quarantine"]),
        Migration(number: 20, name: "distance", sql: Embedded._0020_distance_sql, oldestBinary: 19),
        Migration(number: 21, name: "products", sql: Embedded._0021_products_sql, oldestBinary: 19),
        Migration(number: 22, name: "zones", sql: Embedded._0022_zones_sql, oldestBinary: 19),
        // Older binaries would not find the readings of sealed days.
        Migration(number: 23, name: "sealed", sql: Embedded._0023_sealed_sql),
        Migration(
            number: 24, name: "metric_names", sql: Embedded._0024_metric_names_sql,
            oldestBinary: 23),
        // Older binaries would take the readings of anybody with a key that is bound to a user.
        Migration(number: 25, name: "bound_keys", sql: Embedded._0025_bound_keys_sql),
        Migration(
            number: 26, name: "keyed_requests", sql: Embedded._0026_keyed_requests_sql,
            oldestBinary: 25),
    ]

    /// With the foods of `foods.tsv` in the place of the variable, as `psql -v foods=…` has it.
    private static let foods: [UInt8] = {
        let table = String(decoding: Embedded.foods_tsv, as: UTF8.self)
        let literal = "'\(table.replacing("'", with: "''"))'"
        let sql = String(decoding: Embedded._0017_foods_sql, as: UTF8.self)
        return [UInt8](sql.replacing(":'foods'", with: literal).utf8)
    }()

    /// The numbered steps of development versions, which the baseline replaced. A database that has
    /// run all of them goes on from the baseline; another one is refused.
    public enum Former {
        /// How many there were.
        public static let count = 36
        /// SHA-256 of the first step, by which such a database is known.
        public static let firstChecksum =
            "9718bd2620704752d2d78f8364df149c02326ed12772874d2e5f2196edc0b401"
        /// SHA-256 of the last step.
        public static let lastChecksum =
            "7272f86dddb8b3795537655af08abd41f307a82fe5405a6c9e8e39b5e76f5eed"
        /// Brings such a database to the baseline.
        public static let step = Migration(number: 0, name: "baseline", sql: Embedded.former_sql)
        /// How many of ``Schema/migrations`` it has then.
        public static let baselineCount = 18
    }

    /// Distributes a migrated database over the nodes of a Citus cluster. This is not a migration:
    /// it may be run any number of times.
    public static let citus: [UInt8] = Embedded.citus_sql
}
