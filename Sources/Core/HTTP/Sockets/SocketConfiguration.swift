import Instruments

/// The limits of WebSockets. Every limit is inclusive.
public struct SocketConfiguration: Sendable {
    /// Open sockets, apart from ``HTTPConfiguration/connectionsMax``; one more upgrade gets a 503.
    public var socketsMax = 8192
    /// Open sockets of one user; one more upgrade gets a 429.
    public var socketsPerUserMax = 64
    /// Bytes of a message, over all of its fragments; a larger one closes with 1009.
    public var messageBytesMax = 64 * 1024
    /// Frames of one message; more close with 1008.
    public var fragmentsMax = 256
    /// Control frames (close, ping, pong) within a second; more close with 1008.
    public var controlFramesPerSecondMax = 100
    /// Unanswered units of one socket; at this number the socket is not read.
    public var inFlightMax = 32
    /// Unsent bytes of a client that reads too slowly; more close with 1013.
    public var outboundBytesMax = 256 * 1024

    /// Time without a message in either direction; then a socket of meal logs is closed with 1000.
    /// Pings and pongs are not messages. Sockets of captures stay open.
    public var idleTimeout: Duration = .seconds(600)
    /// Time without a byte from the client; then it gets a ping.
    public var pingInterval: Duration = .seconds(45)
    /// Time from that ping to any frame from the client; then the connection is cut off.
    public var pongTimeout: Duration = .seconds(30)
    /// Time from the first frame of a message to its last; then the socket is closed with 1008.
    public var messageTimeout: Duration = .seconds(60)
    /// Time for a client to answer a close frame; then the connection is cut off.
    public var closeTimeout: Duration = .seconds(5)

    /// Creates a configuration with the defaults.
    public init() {}

    /// Invalid settings, each as field and rule; empty if all are valid.
    public var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        func require(_ holds: Bool, _ field: String, _ rule: String) {
            if !holds { faults.append((field, rule)) }
        }
        require(socketsMax >= 0, "socketsMax", "not negative")
        require(socketsPerUserMax >= 1, "socketsPerUserMax", "at least 1")
        require(
            (128...(16 << 20)).contains(messageBytesMax), "messageBytesMax", "128 to 16 MiB")
        require(fragmentsMax >= 1, "fragmentsMax", "at least 1")
        require(controlFramesPerSecondMax >= 1, "controlFramesPerSecondMax", "at least 1")
        require(inFlightMax >= 1, "inFlightMax", "at least 1")
        require(outboundBytesMax >= 1024, "outboundBytesMax", "at least 1024")
        let durations = [
            ("idleTimeout", idleTimeout), ("pingInterval", pingInterval),
            ("pongTimeout", pongTimeout), ("messageTimeout", messageTimeout),
            ("closeTimeout", closeTimeout),
        ]
        for (field, duration) in durations {
            require(
                duration > .zero && duration <= .seconds(24 * 3600), field,
                "greater than zero, at most a day")
        }
        return faults
    }
}
