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
