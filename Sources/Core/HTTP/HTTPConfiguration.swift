/// Where the server listens, and its limits and time-outs. Every limit is inclusive.
public struct HTTPConfiguration: Sendable {
    /// Name or address to listen on.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 lets the system choose one.
    public var port = 8080
    /// Threads that serve connections; 0 means one per core.
    public var eventLoopCount = 0
    /// Length of the kernel's queue of connections that are not accepted yet. The kernel drops the
    /// handshakes of further ones, whose clients repeat them after one second, three, seven.
    public var backlogMax = 4096

    /// Open connections, without WebSockets. One more closes one that is idle; if all have a
    /// request, it gets a 503 (``ConnectionPlaces``).
    public var connectionsMax = 8192
    /// Connections beyond ``connectionsMax`` that are open at a time to answer `/health`,
    /// `/metrics` and `/status`, and a 503 to all else. One more closes one that is idle, or is
    /// closed.
    public var surplusMax = 256
    /// Bytes of all header fields of a request; a larger head gets a 431.
    public var headBytesMax = 32 * 1024
    /// Header fields of a request; more get a 431.
    public var headFieldsMax = 100
    /// Bytes of an `Idempotency-Key`; a longer one gets a 400.
    public var idempotencyKeyBytesMax = 255

    /// Bytes of a body, both as sent and decompressed; a larger body gets a 413.
    public var bodyBytesMax = 16 * 1024 * 1024
    /// Ratio of a body's decompressed to its compressed size; a higher ratio gets a 413. It is
    /// checked beyond ``expansionFreeBytes``.
    public var expansionMax = 100
    /// Decompressed bytes up to which the ratio is not checked.
    public var expansionFreeBytes = 1024 * 1024
    /// Bytes of bodies received and not yet answered, over all connections; a request that would
    /// exceed this gets a 503.
    public var inFlightBytesMax = 256 * 1024 * 1024

    /// Bytes of the router's answers that clients have not taken yet, over all connections. At this
    /// limit the router's requests get a 503, except those to `/` and `/health`.
    public var unsentBytesMax = 64 * 1024 * 1024
    /// The same limit for one HTTP/2 connection; at this limit its new streams are refused.
    public var streamedUnsentBytesMax = 2 * 1024 * 1024

    /// Time from the first byte of a request to the end of its head; then a 408. Also the time from
    /// accepting a connection to its first byte; then it is closed without an answer.
    public var headTimeout: Duration = .seconds(10)
    /// Time between an answer and the next request; then the connection is closed.
    public var idleTimeout: Duration = .seconds(75)
    /// Time without a byte of an incomplete body; then a 408.
    public var bodyTimeout: Duration = .seconds(20)
    /// Minimum average rate of a body, checked once ``bodyTimeout`` has passed; a slower body gets
    /// a 408.
    public var bodyBytesPerSecondMin = 512
    /// Time from the last byte of a body to its commit; then a 503, though the batch may still be
    /// committed.
    public var acknowledgeWithin: Duration = .seconds(30)
    /// A connection whose client does not read its answers for this long is closed.
    public var sendTimeout: Duration = .seconds(20)

    /// Bytes of a rejected body that are discarded so that the connection can be kept.
    public var keptRestBytesMax = 1024 * 1024
    /// Bytes of a rejected body that are discarded so that the client can read the answer; beyond
    /// that the connection is cut off.
    public var lingerBytesMax = 256 * 1024 * 1024
    /// Time to discard that rest, and for the client to close a connection that the server has
    /// closed.
    public var lingerTimeout: Duration = .seconds(15)

    /// How often each event loop checks for time-outs.
    public var sweepInterval: Duration = .milliseconds(250)
    /// Time for connections to finish when the server stops; then they are cut off.
    public var shutdownWithin: Duration = .seconds(45)

    /// Limits of WebSockets. ``HTTPListener/reload(_:_:)`` does not apply changes of these.
    public var sockets = SocketConfiguration()
    /// `GET /metrics` requires a key with the scope `status`. Applied only at the start.
    public var metricsNeedKey = false

    /// Certificate and key; nil means no TLS.
    public var tls: TLSConfiguration?

    /// Creates a configuration with the defaults.
    public init() {}

    /// Invalid settings, each as field and rule; empty if all are valid.
    public var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        func require(_ holds: Bool, _ field: String, _ rule: String) {
            if !holds { faults.append((field, rule)) }
        }
        require((0...65_535).contains(port), "port", "0 to 65535")
        require((0...1024).contains(eventLoopCount), "eventLoopCount", "0 to 1024")
        require(backlogMax > 0, "backlogMax", "at least 1")
        require(connectionsMax > 0, "connectionsMax", "at least 1")
        require(surplusMax > 0, "surplusMax", "at least 1")
        require(headBytesMax >= 1024, "headBytesMax", "at least 1024")
        require(headFieldsMax >= 8, "headFieldsMax", "at least 8")
        require(idempotencyKeyBytesMax > 0, "idempotencyKeyBytesMax", "at least 1")
        require(bodyBytesMax >= 1024, "bodyBytesMax", "at least 1024")
        require(expansionMax >= 1, "expansionMax", "at least 1")
        require(expansionFreeBytes >= 0, "expansionFreeBytes", "not negative")
        require(
            inFlightBytesMax >= bodyBytesMax, "inFlightBytesMax", "at least bodyBytesMax")
        require(unsentBytesMax > 0, "unsentBytesMax", "at least 1")
        require(streamedUnsentBytesMax > 0, "streamedUnsentBytesMax", "at least 1")
        require(bodyBytesPerSecondMin >= 0, "bodyBytesPerSecondMin", "not negative")
        require(keptRestBytesMax >= 0, "keptRestBytesMax", "not negative")
        require(lingerBytesMax >= keptRestBytesMax, "lingerBytesMax", "at least keptRestBytesMax")
        let durations = [
            ("headTimeout", headTimeout), ("idleTimeout", idleTimeout),
            ("bodyTimeout", bodyTimeout), ("acknowledgeWithin", acknowledgeWithin),
            ("sendTimeout", sendTimeout), ("lingerTimeout", lingerTimeout),
            ("sweepInterval", sweepInterval), ("shutdownWithin", shutdownWithin),
        ]
        for (field, duration) in durations {
            require(
                duration > .zero && duration <= .seconds(24 * 3600), field,
                "greater than zero, at most a day")
        }
        return faults + sockets.faults + (tls?.faults ?? [])
    }
}
