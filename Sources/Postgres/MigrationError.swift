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

extension MigrationError {
    /// The code of the server's refusal.
    var sqlState: SQLState? {
        switch self {
        case .failed(_, _, let error), .database(let error): error.sqlState
        case .databaseNewer, .checksumDiffers: nil
        }
    }

    /// The step that failed; nil when it was not a step's own statement.
    var stepName: String? {
        guard case .failed(_, let name, _) = self else { return nil }
        return name
    }
}
