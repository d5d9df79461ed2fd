/// The database schema as numbered migrations, in the binary.
///
/// A file here that has been released is never changed, only followed by another: its checksum is
/// in every database that has run it.
public enum Schema {
    /// One step, run in a transaction of its own.
    public struct Migration: Sendable {
        /// Counts from 1 without gaps.
        public let number: Int
        /// The file's name without number and ending.
        public let name: String
        /// The file, UTF-8.
        public let sql: [UInt8]

        /// For steps that are not part of the binary: tests.
        public init(number: Int, name: String, sql: [UInt8]) {
            self.number = number
            self.name = name
            self.sql = sql
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
    ]
}
