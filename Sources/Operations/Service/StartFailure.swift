public import Access
public import Edge
public import Media
public import Postgres
public import Spooling
public import TextTables

/// Why the server, or a command that needs its database, can't continue. The command line turns it
/// into prose and an exit code, in one place.
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
    /// The operating system gave no random bytes.
    case noRandomness
    /// The private cluster did not start.
    case cluster(ClusterError)
    /// The authentication settings can't be used.
    case access(AccessFault)
    /// The store of uploaded files can't be used.
    case media(MediaStoreError)
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

/// The address of a server on this machine, from the host that it listens on.
public enum ReachableHost {
    /// The host in a URL: loopback for a wildcard address, and IPv6 addresses in brackets.
    public static func name(_ listening: String) -> String {
        switch listening {
        case "0.0.0.0", "": "127.0.0.1"
        case "::": "[::1]"
        default: listening.contains(":") ? "[\(listening)]" : listening
        }
    }
}
