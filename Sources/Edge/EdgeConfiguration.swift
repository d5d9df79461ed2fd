/// Where the server listens and what it puts up with. Every limit is inclusive.
public struct EdgeConfiguration: Sendable {
    /// Name or address to listen on.
    public var host = "127.0.0.1"
    /// 0 lets the system choose one.
    public var port = 8080
    /// Threads that serve connections; 0 means one for each core.
    public var eventLoopCount = 0
    /// Connections that the kernel holds until they are accepted.
    public var backlogMax = 1024

    /// Open connections. One more gets a 503 and is closed; 256 more are not even accepted.
    public var connectionsMax = 8192
    /// Bytes of all header fields of a request together; more gets a 431.
    public var headBytesMax = 32 * 1024
    /// Header fields of a request; more gets a 431.
    public var headFieldsMax = 100
    /// Bytes of an `Idempotency-Key`; more gets a 400.
    public var idempotencyKeyBytesMax = 255

    /// Bytes of a body, as sent and also once decompressed; more gets a 413.
    public var bodyBytesMax = 16 * 1024 * 1024
    /// How many times its compressed size a body may grow to, looked at beyond
    /// ``expansionFreeBytes``; more gets a 413.
    public var expansionMax = 100
    /// Decompressed bytes up to which nobody asks for the ratio.
    public var expansionFreeBytes = 1024 * 1024
    /// Bytes of bodies received and not yet answered, over all connections; more gets a 503.
    public var inFlightBytesMax = 256 * 1024 * 1024

    /// Bytes of answers of the router that clients have not taken yet, over all connections; then
    /// its requests get a 503, but for those of `/` and `/health`.
    public var unsentBytesMax = 64 * 1024 * 1024
    /// The same of one HTTP/2 connection; then its new streams are refused.
    public var streamedUnsentBytesMax = 2 * 1024 * 1024

    /// From the first byte of a request to the end of its head, and from accepting a connection to
    /// its first byte; then a 408, or without a byte just the end.
    public var headTimeout: Duration = .seconds(10)
    /// Between an answer and the next request; then the connection is closed without a word.
    public var idleTimeout: Duration = .seconds(75)
    /// Without a byte of a body that is not complete; then a 408.
    public var bodyTimeout: Duration = .seconds(20)
    /// Average rate of a body once ``bodyTimeout`` has passed; slower gets a 408.
    public var bodyBytesPerSecondMin = 512
    /// From the last byte of a body to its commit; then a 503, though it may still be committed.
    public var acknowledgeWithin: Duration = .seconds(30)
    /// A client that does not read its answers for this long is closed.
    public var sendTimeout: Duration = .seconds(20)

    /// Rest of a refused body that is swallowed so that the connection can be kept.
    public var keptRestBytesMax = 1024 * 1024
    /// Rest of a refused body that is swallowed so that the client can read why; then the
    /// connection is cut off.
    public var lingerBytesMax = 256 * 1024 * 1024
    /// Time for that rest, and for a client to close what the server has closed.
    public var lingerTimeout: Duration = .seconds(15)

    /// How often each event loop looks for what has timed out.
    public var sweepInterval: Duration = .milliseconds(250)
    /// Connections that are not done by then are cut off when the server stops.
    public var shutdownWithin: Duration = .seconds(45)

    /// WebSockets. What of it is changed by ``EdgeServer/reload(_:_:)`` is not taken over.
    public var sockets = SocketConfiguration()
    /// `GET /metrics` asks for a key with the scope `status`. Taken over at the start only.
    public var metricsNeedKey = false

    /// Certificate and key; nil: no TLS.
    public var tls: TLSConfiguration?

    /// What the routes of users' apps put up with.
    public var routes = RouteConfiguration()

    /// The defaults.
    public init() {}

    /// What can't work, as field and rule; empty when all is well.
    public var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        func require(_ holds: Bool, _ field: String, _ rule: String) {
            if !holds { faults.append((field, rule)) }
        }
        require((0...65_535).contains(port), "port", "0 to 65535")
        require((0...1024).contains(eventLoopCount), "eventLoopCount", "0 to 1024")
        require(backlogMax > 0, "backlogMax", "at least 1")
        require(connectionsMax > 0, "connectionsMax", "at least 1")
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
                "more than nothing, at most a day")
        }
        return faults + sockets.faults + (tls?.faults ?? []) + routes.faults
    }
}
