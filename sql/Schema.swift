/// The database schema as numbered migrations, in the binary.
///
/// A file here that has been released is never changed, only followed by another: its checksum is
/// in every database that has run it.
///
/// Steps run beside live traffic. They take no lock on a big table for longer than a change of the
/// catalogue takes: no rewriting of rows, no index or constraint that reads them.
public enum Schema {
    /// One step, run in a transaction of its own.
    public struct Migration: Sendable {
        /// Counts from 1 without gaps.
        public let number: Int
        /// The file's name without number and ending.
        public let name: String
        /// The file, UTF-8.
        public let sql: [UInt8]
        /// Binaries whose last step is this one or a later one may go on writing and answering once
        /// the step has run: it adds what they don't use, and changes nothing that they do.
        public let oldestBinary: Int
        /// Tables that the step works with and nobody else meanwhile, in the order in which lanes lock
        /// them. They are locked before anything is done.
        public let locks: [String]

        /// - Parameter oldestBinary: by default none that doesn't know the step itself.
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

    /// All of them in order. The file `0001_tables.sql` becomes `Embedded._0001_tables_sql`.
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
        // What older binaries write with every group is not there any more.
        // Adds up the sums of minutes that are there: about 12 s a million on two cores.
        Migration(
            number: 24, name: "hours", sql: Embedded._0024_hours_sql,
            locks: ["sluice.device_state", "sluice.vital_rollup", "sluice.gps_rollup"]),
        Migration(number: 25, name: "era", sql: Embedded._0025_era_sql, oldestBinary: 24),
        Migration(number: 26, name: "citus", sql: Embedded._0026_citus_sql, oldestBinary: 24),
        Migration(
            number: 27, name: "missing_days", sql: Embedded._0027_missing_days_sql,
            oldestBinary: 24),
    ]

    /// Spreads a migrated database over the nodes of a Citus cluster; no migration, for it may be run
    /// any number of times.
    public static let citus: [UInt8] = Embedded.citus_sql
}
