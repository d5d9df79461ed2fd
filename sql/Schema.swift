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

        /// - Parameter oldestBinary: by default none that doesn't know the step itself.
        public init(number: Int, name: String, sql: [UInt8], oldestBinary: Int? = nil) {
            self.number = number
            self.name = name
            self.sql = sql
            self.oldestBinary = oldestBinary ?? number
        }
    }

    /// All of them in order. The file `0001_tables.sql` is listed in the package manifest and becomes
    /// `PackageResources._001_tables_sql`.
    public static let migrations: [Migration] = [
        Migration(number: 1, name: "tables", sql: PackageResources._001_tables_sql),
        Migration(number: 2, name: "partitions", sql: PackageResources._002_partitions_sql),
        Migration(
            number: 3, name: "quarantine_and_keys",
            sql: PackageResources._003_quarantine_and_keys_sql),
        Migration(number: 4, name: "analytics", sql: PackageResources._004_analytics_sql),
        Migration(number: 5, name: "spool", sql: PackageResources._005_spool_sql),
        Migration(number: 6, name: "key_quotas", sql: PackageResources._006_key_quotas_sql),
        Migration(number: 7, name: "captures", sql: PackageResources._007_captures_sql),
        Migration(number: 8, name: "units", sql: PackageResources._008_units_sql),
        Migration(number: 9, name: "foods", sql: PackageResources._009_foods_sql),
        Migration(number: 10, name: "meals", sql: PackageResources._010_meals_sql),
        Migration(number: 11, name: "rollups", sql: PackageResources._011_rollups_sql),
        Migration(number: 12, name: "journal", sql: PackageResources._012_journal_sql),
        Migration(
            number: 13, name: "analysts", sql: PackageResources._013_analysts_sql, oldestBinary: 12),
        Migration(
            number: 14, name: "retention", sql: PackageResources._014_retention_sql,
            oldestBinary: 12),
        Migration(
            number: 15, name: "erasure", sql: PackageResources._015_erasure_sql, oldestBinary: 12),
        Migration(
            number: 16, name: "rollup_rows", sql: PackageResources._016_rollup_rows_sql,
            oldestBinary: 12),
        Migration(
            number: 17, name: "turns", sql: PackageResources._017_turns_sql,
            oldestBinary: 12),
        Migration(
            number: 18, name: "capture_order", sql: PackageResources._018_capture_order_sql,
            oldestBinary: 12),
        Migration(
            number: 19, name: "news", sql: PackageResources._019_news_sql, oldestBinary: 12),
        Migration(
            number: 20, name: "more_foods", sql: PackageResources._020_more_foods_sql,
            oldestBinary: 12),
        Migration(
            number: 21, name: "capture_ids", sql: PackageResources._021_capture_ids_sql,
            oldestBinary: 12),
        Migration(
            number: 22, name: "tracks", sql: PackageResources._022_tracks_sql, oldestBinary: 12),
        Migration(
            number: 23, name: "plans", sql: PackageResources._023_plans_sql, oldestBinary: 12),
        // What older binaries write with every group is not there any more.
        Migration(number: 24, name: "hours", sql: PackageResources._024_hours_sql),
    ]

    /// Spreads a migrated database over the nodes of a Citus cluster; no migration, for it may be run
    /// any number of times.
    public static let citus: [UInt8] = PackageResources.citus_sql
}
