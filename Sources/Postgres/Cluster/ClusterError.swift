import Glibc

/// Why there is no private cluster. `description` tells an operator what to do.
public enum ClusterError: Error, Equatable, Sendable {
    /// No `initdb`, `pg_ctl` and `postgres` in any of these directories.
    case serverMissing(searched: [String])
    /// The cluster was made by another major version than any that is installed.
    case versionMissing(cluster: String, searched: [String])
    /// Another process has the data directory's lock.
    case dataDirectoryInUse(path: String, processID: Int32?)
    case fileFailed(path: String, operation: String, errno: Int32)
    /// A directory for the socket that somebody else made.
    case directoryUnsafe(path: String)
    /// Root, and no unprivileged user to run the server as.
    case userMissing(tried: [String])
    /// The cluster lies where the server's user can't go.
    case directoryUnreachable(path: String, user: String)
    /// A program of PostgreSQL's failed; `output` is the end of what it said.
    case commandFailed(program: String, status: Int32, output: String)
    case commandTimedOut(program: String, limit: Duration)
    /// Backends of a server that died go on running in the cluster's directory.
    case backendsLeft(path: String, processIDs: [Int32])
    case stopTimedOut(processID: Int32)
    /// The server runs and the database can't be reached or made.
    case database(PostgresError)
}

extension ClusterError: CustomStringConvertible {
    /// What is wrong and what to do about it.
    public var description: String {
        switch self {
        case .serverMissing(let searched):
            "no PostgreSQL server found in \(searched.joined(separator: ", ")): "
                + "apt-get install postgresql, or set SLUICE_POSTGRES_BIN to its bin directory, "
                + "or DATABASE_URL to a server that runs elsewhere"
        case .versionMissing(let cluster, let searched):
            "the cluster was made by PostgreSQL \(cluster), which is in none of "
                + "\(searched.joined(separator: ", ")): apt-get install postgresql-\(cluster), "
                + "or move the data with pg_upgrade"
        case .dataDirectoryInUse(let path, let processID):
            "another sluice\(processID.map { " (process \($0))" } ?? "") uses \(path): "
                + "stop it, or set SLUICE_DATA_DIR to another directory"
        case .fileFailed(let path, let operation, let errno):
            "\(operation) \(path): \(String(cString: strerror(errno)))"
        case .directoryUnsafe(let path):
            "\(path) belongs to another user or is open to others: remove it"
        case .userMissing(let tried):
            "PostgreSQL does not run as root, and there is no user "
                + "\(tried.joined(separator: " or ")) to run it as: start sluice as another user"
        case .directoryUnreachable(let path, let user):
            "the user \(user), who runs PostgreSQL, can't enter \(path): "
                + "let others pass through the directories above it (chmod o+x)"
        case .commandFailed(let program, let status, let output):
            "\(program) failed with status \(status): \(output)"
        case .commandTimedOut(let program, let limit):
            "\(program) did not end within \(limit)"
        case .backendsLeft(let path, let processIDs):
            "processes \(processIDs.map(String.init).joined(separator: ", ")) of a server that "
                + "died still run in \(path): end them"
        case .stopTimedOut(let processID):
            "the server (process \(processID)) does not stop"
        case .database(let error):
            "the private cluster's database: \(error)"
        }
    }
}
