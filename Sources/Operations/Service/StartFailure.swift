public import Access
public import Edge
public import Media
public import Postgres
public import Spooling
public import TextTables

/// Why the server, or a command that needs its database, can't go on. The command line makes prose
/// and an exit code of it, in one place.
public enum StartFailure: Error, Equatable, Sendable {
    /// What the sources give is no configuration.
    case configuration(ConfigurationProblems)
    /// The file that was named can't be read.
    case configurationFileUnreadable(path: String)
    /// The directory can't be made.
    case dataDirectoryUnusable(path: String)
    /// No server was named, and there is no private cluster in the directory.
    case noDatabase(dataDirectory: String)
    /// The file is there and holds no key.
    case keyFileUnusable(path: String)
    /// The operating system gave no random bytes.
    case noRandomness
    /// The private cluster did not start.
    case cluster(ClusterError)
    /// Whom the configuration lets in can't be.
    case access(AccessFault)
    /// The directory of uploaded files can't be used.
    case media(MediaStoreError)
    /// A table of words is none.
    case words(TableFault)
    /// The spool can't be opened.
    case spool(SpoolError)
    /// The database can't be reached or refuses.
    case database(PostgresError)
    /// The schema can't be brought to what this binary needs.
    case migration(MigrationError)
    /// The database can't be spread over a Citus cluster.
    case citus(Citus.Failure)
    /// Certificate and key can't be used.
    case tls(TLSFault)
    /// Nothing can listen there: in use, or not an address of this machine.
    case listen(host: String, port: Int, ListenFault)
}

/// Where to call a server on this machine that listens on a given host.
public enum ReachableHost {
    /// The host's part of a URL: an address that stands for all of a machine's can't be called, and
    /// one of IPv6 is put in brackets.
    public static func name(_ listening: String) -> String {
        switch listening {
        case "0.0.0.0", "": "127.0.0.1"
        case "::": "[::1]"
        default: listening.contains(":") ? "[\(listening)]" : listening
        }
    }
}
