import Files
import Glibc
public import OperatorErrors
import Synchronization

/// Why there is no private cluster. `description` tells an operator what to do.
public enum ClusterError: Error, Equatable, Sendable {
    /// No `initdb`, `pg_ctl` and `postgres` in any of these directories.
    case serverMissing(searched: [String])
    /// The cluster was made by another major version than any that is installed.
    case versionMissing(cluster: String, searched: [String])
    /// Another process has the data directory's lock.
    case dataDirectoryInUse(path: String, processID: Int32?)
    case fileFailed(path: String, operation: String, errno: Int32)
    /// The directory for the socket belongs to another user or is open to others.
    case directoryUnsafe(path: String)
    /// Sluice runs as root, and there is no unprivileged user to run the server as.
    case userMissing(tried: [String])
    /// The server's user can't enter the directory of the cluster.
    case directoryUnreachable(path: String, user: String)
    /// A PostgreSQL program failed; `output` is the end of its output.
    case commandFailed(program: String, status: Int32, output: String)
    case commandTimedOut(program: String, limit: Duration)
    /// Backends of a server that died still run in the cluster's directory.
    case backendsLeft(path: String, processIDs: [Int32])
    case stopTimedOut(processID: Int32)
    /// The server runs, but the database can't be reached or created.
    case database(PostgresError)
}

extension ClusterError: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .serverMissing(let searched):
            "no PostgreSQL server found in \(searched.joined(separator: ", "))"
        case .versionMissing(let cluster, let searched):
            "the cluster was made by PostgreSQL \(cluster), which is in none of "
                + searched.joined(separator: ", ")
        case .dataDirectoryInUse(let path, let processID):
            "another sluice\(processID.map { " (process \($0))" } ?? "") uses \(path)"
        case .fileFailed(let path, let operation, let errno):
            directory?.sentence ?? "\(operation) \(path): \(String(cString: strerror(errno)))"
        case .directoryUnsafe(let path): "\(path) belongs to another user or is open to others"
        case .userMissing(let tried):
            "PostgreSQL does not run as root, and there is no user "
                + "\(tried.joined(separator: " or ")) to run it as"
        case .directoryUnreachable(let path, let user):
            "the user \(user), who runs PostgreSQL, can't enter \(path)"
        case .commandFailed(let program, let status, let output):
            "\(program) failed with status \(status): \(output)"
        case .commandTimedOut(let program, let limit):
            "\(program) did not end within \(limit)"
        case .backendsLeft(let path, let processIDs):
            "processes \(processIDs.map(String.init).joined(separator: ", ")) of a server that "
                + "died still run in \(path)"
        case .stopTimedOut(let processID):
            "the server (process \(processID)) does not stop"
        case .database(let error): "the private cluster: \(error.sentence)"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .serverMissing:
            "apt-get install postgresql, or set SLUICE_POSTGRES_BIN to its bin directory, or "
                + "SLUICE_DATABASE_URL to a server that runs elsewhere"
        case .versionMissing(let cluster, _):
            "apt-get install postgresql-\(cluster), or move the data with pg_upgrade"
        case .dataDirectoryInUse: "stop it, or set SLUICE_DATA_DIR to another directory"
        case .fileFailed(_, _, ENOSPC): "make room, or set SLUICE_DATA_DIR"
        case .fileFailed: directory?.remedy
        case .directoryUnsafe: "remove it"
        case .userMissing: "start sluice as another user"
        case .directoryUnreachable:
            "let others pass through the directories above it (chmod o+x)"
        case .backendsLeft: "end them"
        case .database(let error): error.remedy
        case .commandFailed, .commandTimedOut, .stopTimedOut: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .dataDirectoryInUse: EX_TEMPFAIL
        case .fileFailed, .directoryUnsafe, .directoryUnreachable: EX_CANTCREAT
        case .serverMissing, .versionMissing, .userMissing, .commandFailed, .commandTimedOut,
            .backendsLeft, .stopTimedOut, .database:
            EX_UNAVAILABLE
        }
    }

    /// The directory that is the cause; nil for other failures.
    private var directory: DirectoryUnusable? {
        switch self {
        case .fileFailed(_, _, ENOSPC): nil
        case .fileFailed(let path, "open", _) where path.hasSuffix("/sluice.lock"):
            DirectoryUnusable(path: DirectoryUnusable.parent(of: path))
        case .fileFailed(let path, "make directory", _): DirectoryUnusable(path: path)
        default: nil
        }
    }
}

extension ClusterError: CustomStringConvertible {
    /// What is wrong and what to do about it.
    public var description: String { operatorText }
}
