public import Postgres

/// Why a key was not made.
public enum KeyStoreError: Error, Equatable {
    /// A key of this name is in force; revoke it first or choose another.
    case nameTaken
    /// The operating system gave no random bytes.
    case noRandomness
    /// The database said no.
    case database(PostgresError)
}
