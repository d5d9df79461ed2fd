/// Who may call.
public struct AccessFacts: Sendable {
    /// What the server listens on.
    public var host = "127.0.0.1"
    /// Nobody else can reach that.
    public var isLoopback = true
    /// Keys for readings in the configuration, or in the file that the server made.
    public var ingestKeys = 0
    /// The file with the made key can be read by others.
    public var isKeyFileOpen = false
    /// Nobody has to show anything but for readings.
    public var isOpen = false
    /// Nobody has to show anything where the path names the user.
    public var trustsPathUser = false
    /// The port speaks TLS.
    public var isSecure = false

    /// As the defaults are.
    public init() {}
}
