/// The database schema as numbered migrations, embedded in the binary.
///
/// A released file is never changed, only followed by another, because every database that has run
/// it holds its checksum.
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

    /// All migrations in order. The file `0001_tables.sql` becomes `Embedded._0001_tables_sql`.
    public static let migrations: [Migration] = [
        Migration(number: 1, name: "tables", sql: Embedded._0001_tables_sql),
        Migration(number: 2, name: "partitions", sql: Embedded._0002_partitions_sql),
        Migration(
            number: 3, name: "quarantine_and_keys", sql: Embedded._0003_quarantine_and_keys_sql),
        Migration(number: 4, name: "analytics", sql: Embedded._0004_analytics_sql),
        Migration(number: 5, name: "spool", sql: Embedded._0005_spool_sql),
        Migration(number: 6, name: "key_quotas", sql: Embedded._0006_key_quotas_sql),
        Migration(number: 7, name: "captures", sql: Embedded._0007_captures_sql),
        Migration(number: 8, name: "units", sql: Embedded._0008_units_sql),
        Migration(number: 9, name: "foods", sql: Embedded._0009_foods_sql),
        Migration(number: 10, name: "meals", sql: Embedded._0010_meals_sql),
        Migration(number: 11, name: "rollups", sql: Embedded._0011_rollups_sql),
        Migration(number: 12, name: "journal", sql: Embedded._0012_journal_sql),
        Migration(
            number: 13, name: "analysts", sql: Embedded._0013_analysts_sql, oldestBinary: 12),
        Migration(
            number: 14, name: "retention", sql: Embedded._0014_retention_sql,
            oldestBinary: 12),
        Migration(
            number: 15, name: "erasure", sql: Embedded._0015_erasure_sql, oldestBinary: 12),
        Migration(
            number: 16, name: "rollup_rows", sql: Embedded._0016_rollup_rows_sql,
            oldestBinary: 12),
        Migration(
            number: 17, name: "turns", sql: Embedded._0017_turns_sql,
            oldestBinary: 12),
        Migration(
            number: 18, name: "capture_order", sql: Embedded._0018_capture_order_sql,
            oldestBinary: 12),
        Migration(
            number: 19, name: "news", sql: Embedded._0019_news_sql, oldestBinary: 12),
        Migration(
            number: 20, name: "more_foods", sql: Embedded._0020_more_foods_sql,
            oldestBinary: 12),
        Migration(
            number: 21, name: "capture_ids", sql: Embedded._0021_capture_ids_sql,
            oldestBinary: 12),
        Migration(
            number: 22, name: "tracks", sql: Embedded._0022_tracks_sql, oldestBinary: 12),
        Migration(
            number: 23, name: "plans", sql: Embedded._0023_plans_sql, oldestBinary: 12),
        // Replaces the sums by minute, which older binaries write with every group.
        // Adds up the existing ones: about 12 s a million on two cores.
        Migration(
            number: 24, name: "hours", sql: Embedded._0024_hours_sql,
            locks: ["sluice.device_state", "sluice.vital_rollup", "sluice.gps_rollup"]),
        Migration(number: 25, name: "era", sql: Embedded._0025_era_sql, oldestBinary: 24),
        Migration(number: 26, name: "citus", sql: Embedded._0026_citus_sql, oldestBinary: 24),
        Migration(
            number: 27, name: "missing_days", sql: Embedded._0027_missing_days_sql,
            oldestBinary: 24),
        Migration(
            number: 28, name: "journal_units", sql: Embedded._0028_journal_units_sql,
            oldestBinary: 24),
        // Excludes older binaries once a length is chosen.
        Migration(
            number: 29, name: "partition_days", sql: Embedded._0029_partition_days_sql,
            oldestBinary: 24),
        Migration(
            number: 30, name: "noted_hours", sql: Embedded._0030_noted_hours_sql,
            oldestBinary: 24, locks: ["sluice.device_state"]),
        Migration(
            number: 31, name: "turns_of_tables", sql: Embedded._0031_turns_of_tables_sql,
            oldestBinary: 24),
        Migration(
            number: 32, name: "watermarks", sql: Embedded._0032_watermarks_sql,
            oldestBinary: 24),
        Migration(
            number: 33, name: "extreme_values", sql: Embedded._0033_extreme_values_sql,
            oldestBinary: 24),
        Migration(
            number: 34, name: "replica_identity", sql: Embedded._0034_replica_identity_sql,
            oldestBinary: 24,
            locks: [
                "sluice.gps", "sluice.vital", "sluice.event", "sluice.gps_rollup",
                "sluice.vital_rollup",
            ]),
        Migration(
            number: 35, name: "misread_foods", sql: Embedded._0035_misread_foods_sql,
            oldestBinary: 24),
        Migration(
            number: 36, name: "failing_items", sql: Embedded._0036_failing_items_sql,
            oldestBinary: 24),
    ]

    /// Distributes a migrated database over the nodes of a Citus cluster. This is not a migration:
    /// it may be run any number of times.
    public static let citus: [UInt8] = Embedded.citus_sql
}
