public import Access
import Hummingbird
import HummingbirdCore
public import Ingestion
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
/// others after ``EdgeConfiguration/shutdownWithin``. The event loops run on, because lanes may
/// still deliver outcomes: call ``close()`` when the lanes have finished.
public final class EdgeServer: Service {
    private let configuration: EdgeConfiguration
    let loops: EdgeLoops
    private let routes: EdgeRoutes
    private let logger: Logger
    private let onListening: @Sendable (Int) async -> Void
    private let drain: ListenerDrain
    private let instruments: EdgeInstruments
    private let budget: RequestBudget
    private let clock: @Sendable () -> Timestamp
    private let tls = Mutex<TLSContext?>(nil)

    /// - Parameters:
    ///   - configuration: must have no ``EdgeConfiguration/faults``.
    ///   - limits: the limits of a reading.
    ///   - ledger: counts every reading that comes in; it must be added to a registry elsewhere.
    ///   - registry: gets the edge's own metrics; `GET /metrics` shows it.
    ///   - captures: services of the capture routes; nil means that the routes are not served.
    ///   - meals: services of the meal log routes; nil as above.
    ///   - journal: services of the journal routes; nil as above.
    ///   - status: services of the status page; nil as above.
    ///   - slowest: gets the devices with the longest waits for an acknowledgement.
    ///   - applications: protocols over WebSockets; the first that knows a path serves it.
    ///   - clock: the wall clock.
    ///   - onListening: called with the port once connections are accepted.
    public init(
        configuration: EdgeConfiguration, limits: ReadingLimits, sink: any BatchSink,
        keys: any KeyAuthority, ledger: ReadingLedger, registry: Registry,
        captures: CaptureServices? = nil, meals: MealServices? = nil,
        journal: JournalServices? = nil, status: StatusServices? = nil,
        slowest: SlowestBoard = SlowestBoard(), applications: [any SocketApplication] = [],
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        routes = EdgeRoutes(
            sink: sink, registry: registry, captures: captures, meals: meals,
            journal: journal, status: status, metricsNeedKey: configuration.metricsNeedKey,
            downloadsMax: configuration.routes.downloadsMax)
        self.clock = clock
        let instruments = EdgeInstruments(registry: registry)
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
        let loops = EdgeLoops(count: configuration.eventLoopCount) { eventLoop, number in
            EdgeLoop(
                eventLoop: eventLoop, configuration: configuration, limits: limits, sink: sink,
                keys: keys, ledger: ledger, instruments: instruments, budget: budget,
                unsent: unsent, places: places, applications: applications, holders: holders,
                slowest: slowest,
                number: number,
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
    public static func check(_ configuration: EdgeConfiguration) async throws {
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
            server: HTTPServerBuilder { EdgeChannel(responder: $0, loops: loops, tls: tls) },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: configuration.backlogMax,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    configuration.connectionsMax + configuration.sockets.socketsMax
                        + configuration.surplusMax, logger: logger)),
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
    public func reload(_ configuration: EdgeConfiguration, _ limits: ReadingLimits) {
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

/// Why the server can't listen on an address.
public enum ListenFault: Error, Equatable, Sendable {
    /// The system refuses the address: in use, not of this machine, or not allowed.
    case refused(errno: Int32)
    /// The host name has no address.
    case hostUnknown
    /// Any other error, as the library describes it.
    case other(String)

    /// Classifies the error with which ``EdgeServer/run()`` ended.
    public init(_ error: any Error) {
        if let error = error as? IOError {
            self = .refused(errno: error.errnoCode)
        } else if error is SocketAddressError.UnknownHost {
            self = .hostUnknown
        } else {
            self = .other("\(error)")
        }
    }
}
