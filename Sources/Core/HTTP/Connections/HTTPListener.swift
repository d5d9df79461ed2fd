public import Auth
import Hummingbird
import HummingbirdCore
public import Ingest
public import Instruments
public import Logging
import NIOCore
import NIOPosix
public import Readings
public import ServiceLifecycle
public import Status
import Synchronization

/// The HTTP server as a service: listens while it runs, and stops in order.
///
/// A graceful shutdown accepts the connections in the kernel's queue, stops listening, lets each
/// connection finish the request it has or is about to send, closes idle ones, and cuts off the
/// others after ``HTTPConfiguration/shutdownWithin``. The event loops run on, because lanes may
/// still deliver outcomes: call ``close()`` when the lanes have finished.
public final class HTTPListener: Service {
    private let configuration: HTTPConfiguration
    let loops: ConnectionLoops
    private let routes: RouteTable
    private let logger: Logger
    private let onListening: @Sendable (Int) async -> Void
    private let drain: ListenerDrain
    private let instruments: HTTPInstruments
    private let budget: RequestBudget
    private let clock: @Sendable () -> Timestamp
    private let tls = Mutex<TLSContext?>(nil)
    /// Accepted connections beyond those that have a place: each may make one that rests give way.
    private static let acceptedMax = 8

    /// - Parameters:
    ///   - configuration: must have no ``HTTPConfiguration/faults``.
    ///   - limits: the limits of a reading.
    ///   - ledger: counts every reading that comes in; it must be added to a registry elsewhere.
    ///   - registry: gets the edge's own metrics; `GET /metrics` shows it.
    ///   - routes: of users' apps; the server's own come before them.
    ///   - document: the OpenAPI document of all routes; nil means that none is served.
    ///   - status: services of the status page; nil means that it is not served.
    ///   - slowest: gets the devices with the longest waits for an acknowledgement.
    ///   - clock: the wall clock.
    ///   - onListening: called with the port once connections are accepted.
    public init(
        configuration: HTTPConfiguration, limits: ReadingLimits, sink: any BatchSink,
        keys: any KeyAuthority, ledger: ReadingLedger, registry: Registry,
        routes: [RouteGroup] = [], document: [UInt8]? = nil, status: StatusServices? = nil,
        slowest: SlowestBoard = SlowestBoard(), logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        let refusals = RefusalBoard()
        let routes = RouteTable(
            RouteGroup.core(
                sink: sink, registry: registry, document: document, status: status,
                refusals: refusals,
                metricsNeedKey: configuration.metricsNeedKey) + routes)
        self.routes = routes
        self.clock = clock
        let instruments = HTTPInstruments(registry: registry, routes: routes)
        self.instruments = instruments
        let budget = RequestBudget(bytesMax: configuration.inFlightBytesMax, now: .now())
        self.budget = budget
        registry.gauge(
            "sluice_http_in_flight_bytes", help: "Bytes of bodies received and not yet answered."
        ) { Double(budget.inFlightBytes) }
        let unsent = UnsentBytes(bytesMax: configuration.unsentBytesMax)
        registry.gauge(
            "sluice_http_unsent_bytes", help: "Bytes of answers that clients have not taken yet."
        ) { Double(unsent.value) }
        let places = ConnectionPlaces(
            connectionsMax: configuration.connectionsMax, surplusMax: configuration.surplusMax)
        let holders = SocketHolders()
        let loops = ConnectionLoops(count: configuration.eventLoopCount) { eventLoop, number in
            ConnectionLoop(
                eventLoop: eventLoop, configuration: configuration, limits: limits, sink: sink,
                keys: keys, tokens: status?.access, ledger: ledger, instruments: instruments,
                budget: budget,
                unsent: unsent, places: places, holders: holders,
                slowest: slowest, refusals: refusals, number: number, workers: .singleton,
                logger: logger, clock: clock)
        }
        self.loops = loops
        registry.gauge("sluice_event_loops", help: "Threads that serve connections.") {
            [count = loops.count] in Double(count)
        }
        drain = ListenerDrain(loops: loops, logger: logger)
    }

    /// Checks that the server could listen now, before a start that has much else to do.
    ///
    /// - Throws: as ``run()``.
    public static func check(_ configuration: HTTPConfiguration) async throws {
        if let files = configuration.tls {
            _ = try TLSFiles(configuration: files).load()
        }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: configuration.host, port: configuration.port).get()
        try await channel.close().get()
    }

    /// Serves until a graceful shutdown or cancellation.
    ///
    /// - Throws: a ``TLSFault`` if certificate and key can't be used; an error of the system if the
    ///   address can't be bound.
    public func run() async throws {
        if let configured = configuration.tls {
            let context = try TLSContext(configured, logger: logger, clock: clock)
            tls.withLock { $0 = context }
        }
        try await loops.startSweeping()
        let result: Result<Void, any Error>
        do {
            result = .success(try await serveAndWatch())
        } catch {
            result = .failure(error)
        }
        try await loops.stopSweeping()
        try result.get()
    }

    private func serveAndWatch() async throws {
        let tls = tls.withLock { $0 }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await tls?.watch() }
            defer { tasks.cancelAll() }
            try await serve()
        }
    }

    private func serve() async throws {
        // Services stop in reverse order.
        var group = ServiceGroupConfiguration(services: [application, drain], logger: logger)
        group.maximumGracefulShutdownDuration = configuration.shutdownWithin
        try await ServiceGroup(configuration: group).run()
    }

    private var application: some ApplicationProtocol {
        let loops = loops
        let onListening = onListening
        let drain = drain
        let tls = tls.withLock { $0 }
        return Application(
            responder: routes.router().buildResponder(),
            server: HTTPServerBuilder { HTTPChildChannel(responder: $0, loops: loops, tls: tls) },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: configuration.backlogMax,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    configuration.connectionsMax + configuration.sockets.socketsMax
                        + configuration.surplusMax + Self.acceptedMax, logger: logger)),
            onServerRunning: { channel in
                drain.listens(on: channel)
                await onListening(channel.localAddress?.port ?? 0)
            },
            eventLoopGroupProvider: .shared(loops.group),
            logger: logger)
    }

    /// Applies other limits and time-outs. Address, threads, all settings of sockets, and the
    /// limits of connections, bytes in flight and unsent bytes stay as they were. Certificate and
    /// key are read again.
    public func reload(_ configuration: HTTPConfiguration, _ limits: ReadingLimits) {
        precondition(configuration.faults.isEmpty, "BUG: \(configuration.faults)")
        loops.reload(configuration, limits)
        tls.withLock { $0 }?.reload()
    }

    /// Passes a notice to all sockets of `user` that listen to `topic`, in one hop per loop. Any
    /// thread may call it until ``close()``.
    public func notify(topic: String, user: String, text: String) {
        guard instruments.sockets.open.value > 0 else { return }
        loops.notify(topic: topic, user: user, text: text)
    }

    /// Bytes of bodies received and not yet answered.
    public var inFlightBytes: Int { budget.inFlightBytes }

    /// Whether every event loop responds within `limit`. For a supervisor; not to be called after
    /// ``close()``.
    public func isAnswering(within limit: Duration) async -> Bool {
        await loops.answer(within: limit)
    }

    /// Ends the event loops. Nothing may be delivered to them after that.
    public func close() async throws {
        try await loops.group.shutdownGracefully()
    }
}
