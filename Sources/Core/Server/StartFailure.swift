public import Auth
import Files
import Glibc
public import HTTP
public import OperatorErrors
public import Postgres
public import SpoolLog
public import TextTables

/// Why the server, or a command that needs its database, can't continue.
public enum StartFailure: Error, Equatable, Sendable {
    /// The configuration has problems.
    case configuration(ConfigurationProblems)
    /// The named configuration file can't be read.
    case configurationFileUnreadable(path: String)
    /// The data directory can't be created.
    case dataDirectoryUnusable(path: String)
    /// No server is configured, and the data directory has no private cluster.
    case noDatabase(dataDirectory: String)
    /// The key file holds no valid key, or can't be read or written.
    case keyFileUnusable(path: String)
    /// The private cluster did not start.
    case cluster(ClusterError)
    /// The authentication settings can't be used.
    case access(AccessFault)
    /// A file or directory of an app can't be used; why, as a sentence.
    case app(String)
    /// A word table is invalid.
    case words(TableFault)
    /// The spool can't be opened.
    case spool(SpoolError)
    /// The database is unreachable, or rejected a statement.
    case database(PostgresError)
    /// The schema can't be migrated.
    case migration(MigrationError)
    /// The database can't be distributed over a Citus cluster.
    case citus(Citus.Failure)
    /// The process may open too few files for even a small server.
    case filesTooFew(limit: Int, needed: Int)
    /// The certificate or its key can't be used.
    case tls(TLSFault)
    /// The address is in use, or does not belong to this machine.
    case listen(host: String, port: Int, ListenFault)
}

extension StartFailure: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .configuration(let problems):
            problems.problems.map(\.line).joined(separator: "\n")
        case .configurationFileUnreadable(let path):
            "\(path): the configuration file can't be read"
        case .noDatabase(let directory): "\(directory): there is no database here"
        case .keyFileUnusable(let path):
            directory?.sentence ?? "\(path): can't be read or written, or contains no key"
        case .app(let sentence): sentence
        case .filesTooFew(let limit, let needed):
            "the limit of open files is \(limit), and this server needs at least \(needed)"
        case .listen(let host, let port, let fault):
            "can't serve on \(host):\(port): \(fault.sentence)"
        case .dataDirectoryUnusable, .cluster, .access, .words, .spool, .database, .migration,
            .citus, .tls:
            cause?.sentence ?? ""
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .configurationFileUnreadable(let path)
        where Glibc.access(path, F_OK) == 0 && Glibc.access(path, R_OK) != 0:
            "run the command with sudo, or name another installation with --data-dir"
        case .noDatabase:
            "check --data-dir or SLUICE_DATABASE_URL: sluice serve and sluice migrate create a private one"
        case .keyFileUnusable where directory == nil:
            "set SLUICE_INGEST_API_KEY, or remove the file to get a new key: devices with the old key are "
                + "then locked out"
        case .filesTooFew:
            "raise the hard limit (LimitNOFILE= in the unit file, ulimit -Hn in a shell), or lower "
                + "SLUICE_LANES or SLUICE_EVENT_LOOPS"
        default: cause?.remedy
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .configuration, .configurationFileUnreadable: EX_USAGE
        case .noDatabase: EX_NOINPUT
        case .keyFileUnusable, .app: EX_CANTCREAT
        case .filesTooFew: EX_OSERR
        case .dataDirectoryUnusable, .cluster, .access, .words, .spool, .database, .migration,
            .citus, .tls, .listen:
            cause?.exitCode ?? EX_SOFTWARE
        }
    }

    /// The error of another part that this one passes on; nil if there is none.
    private var cause: (any OperatorError)? {
        switch self {
        case .dataDirectoryUnusable, .keyFileUnusable: directory
        case .cluster(let error): error
        case .access(let fault): fault
        case .words(let fault): fault
        case .spool(let error): error
        case .database(let error): error
        case .migration(let error): error
        case .citus(let failure): failure
        case .tls(let fault): fault
        case .listen(_, _, let fault): fault
        case .configuration, .configurationFileUnreadable, .noDatabase, .app, .filesTooFew: nil
        }
    }

    /// The directory that can't be used, or in which a file can't be made.
    private var directory: DirectoryUnusable? {
        switch self {
        case .dataDirectoryUnusable(let path): DirectoryUnusable(path: path)
        case .keyFileUnusable(let path) where Glibc.access(path, F_OK) != 0:
            DirectoryUnusable(path: DirectoryUnusable.parent(of: path))
        default: nil
        }
    }
}
