import Auth
import Postgres
import SpoolLog
import TextTables

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
