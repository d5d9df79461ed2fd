import Glibc
public import OperatorErrors

/// Why the database can't be migrated.
public enum MigrationError: Error, Equatable, Sendable {
    /// A newer binary has migrated this database; this one must not use it.
    case databaseNewer(database: Int, binary: Int)
    /// The database ran another text with this number: one of the two is not a release.
    case checksumDiffers(number: Int)
    /// The database has so many of the former numbered steps, not all that the baseline replaced
    /// (``Schema/Former``) or other ones.
    case formerSteps(database: Int, needed: Int)
    /// The server refused a step; it was rolled back completely, earlier steps stay.
    case failed(number: Int, name: String, PostgresError)
    /// The list of steps could not be read or made.
    case database(PostgresError)
    /// The database has partitions of so many days, and another number was to be chosen.
    case partitionsExist(days: Int)
}

extension MigrationError {
    /// The SQLSTATE of the server's refusal.
    var sqlState: SQLState? {
        switch self {
        case .failed(_, _, let error), .database(let error): error.sqlState
        case .databaseNewer, .checksumDiffers, .formerSteps, .partitionsExist: nil
        }
    }

    /// The step that failed; nil when the failure was outside a step's statements.
    var stepName: String? {
        guard case .failed(_, let name, _) = self else { return nil }
        return name
    }
}

extension MigrationError: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .databaseNewer(let database, let binary):
            "the database is at schema \(database), but this binary knows only schema \(binary)"
        case .checksumDiffers(let number):
            "the database ran a different migration \(number): no release made this database"
        case .formerSteps(let database, let needed):
            "the database is at step \(database) of a development version, and this version continues "
                + "from step \(needed)"
        case .failed(let number, let name, let error):
            "migration \(number) (\(name)) failed: \(error.sentence)"
        case .database(let error): error.sentence
        case .partitionsExist(let days):
            "partitions of \(days == 1 ? "one day" : "\(days) days") exist; the length can be chosen only "
                + "in an empty database"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .databaseNewer: "use the newer sluice"
        case .formerSteps:
            "first run \"sluice migrate\" of the last version with numbered steps"
        case .failed(_, _, let error), .database(let error): error.remedy
        case .checksumDiffers, .partitionsExist: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 { EX_UNAVAILABLE }
}
