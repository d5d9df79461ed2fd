import Postgres

/// Who may call the server.
public struct AccessFacts: Sendable {
    /// The address that the server listens on.
    public var host = "127.0.0.1"
    /// Only this machine can reach that address.
    public var isLoopback = true
    /// Configured keys for readings, including the key file that the server made.
    public var ingestKeys = 0
    /// Other users of the machine can read the key file that the server made.
    public var isKeyFileOpen = false
    /// No credentials are needed, except for readings.
    public var isOpen = false
    /// No credentials are needed where the path names the user.
    public var trustsPathUser = false
    /// The port uses TLS.
    public var isSecure = false

    /// The defaults of the configuration.
    public init() {}
}
