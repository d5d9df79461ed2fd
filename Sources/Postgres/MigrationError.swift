/// Why the schema is not what this binary needs.
public enum MigrationError: Error, Equatable, Sendable {
    /// A newer binary has migrated this database; this one must not touch it.
    case databaseNewer(database: Int, binary: Int)
    /// The database ran another text under this number: one of the two is no release.
    case checksumDiffers(number: Int)
    /// The server refused a step; the steps before it stand, nothing of this one does.
    case failed(number: Int, name: String, PostgresError)
    /// The list of steps could not be read or made.
    case database(PostgresError)
}
