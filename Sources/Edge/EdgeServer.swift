public import Access
import Hummingbird
import HummingbirdCore
public import Ingestion
public import Instruments
public import Logging
import NIOCore
public import Readings
public import ServiceLifecycle

/// The HTTP server as a service: listens while it runs, and stops in order.
///
/// A graceful shutdown stops accepting, closes idle connections, lets each connection finish the
/// request it has, and cuts off what is not done within ``EdgeConfiguration/shutdownWithin``. The
/// event loops outlive that, because lanes may still deliver outcomes: call ``close()`` when they
/// have finished.
public final class EdgeServer: Service {
    private let configuration: EdgeConfiguration
    private let loops: EdgeLoops
    private let routes: EdgeRoutes
    private let logger: Logger
    private let onListening: @Sendable (Int) async -> Void

    /// Connections beyond the limit that are accepted so that they can be told.
    private static let refusedConnectionsMax = 256

    /// - Parameters:
    ///   - configuration: must have no ``EdgeConfiguration/faults``.
    ///   - limits: what a reading may be.
    ///   - ledger: gets every reading that comes in; it must be added to a registry elsewhere.
    ///   - registry: gets the edge's own instruments and is what `GET /metrics` shows.
    ///   - clock: the wall clock.
    ///   - onListening: told the port once connections are accepted.
    public init(
        configuration: EdgeConfiguration, limits: ReadingLimits, sink: any BatchSink,
        keys: any KeyAuthority, ledger: ReadingLedger, registry: Registry, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        routes = EdgeRoutes(sink: sink, registry: registry)
        let instruments = EdgeInstruments(registry: registry)
        let budget = RequestBudget(bytesMax: configuration.inFlightBytesMax, now: .now())
        registry.gauge(
            "sluice_http_in_flight_bytes", help: "Bytes of bodies received and not yet answered."
        ) { Double(budget.inFlightBytes) }
        loops = EdgeLoops(count: configuration.eventLoopCount) { eventLoop in
            EdgeLoop(
                eventLoop: eventLoop, configuration: configuration, limits: limits, sink: sink,
                keys: keys, ledger: ledger, instruments: instruments, budget: budget,
                logger: logger, clock: clock)
        }
    }

    /// Serves until it is told to stop.
    ///
    /// - Throws: when the address can't be listened on.
    public func run() async throws {
        try await loops.startSweeping()
        let result: Result<Void, any Error>
        do {
            result = .success(try await serve())
        } catch {
            result = .failure(error)
        }
        try await loops.stopSweeping()
        try result.get()
    }

    private func serve() async throws {
        var group = ServiceGroupConfiguration(services: [application], logger: logger)
        group.maximumGracefulShutdownDuration = configuration.shutdownWithin
        try await ServiceGroup(configuration: group).run()
    }

    private var application: some ApplicationProtocol {
        let loops = loops
        let onListening = onListening
        return Application(
            responder: routes.router().buildResponder(),
            server: HTTPServerBuilder { EdgeChannel(responder: $0, loops: loops) },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: configuration.backlogMax,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    configuration.connectionsMax + Self.refusedConnectionsMax, logger: logger)),
            onServerRunning: { channel in
                await onListening(channel.localAddress?.port ?? 0)
            },
            eventLoopGroupProvider: .shared(loops.group),
            logger: logger)
    }

    /// Puts other limits and time-outs in force. Address, threads, and the limits of connections and of
    /// bytes in flight stay as they were.
    public func reload(_ configuration: EdgeConfiguration, _ limits: ReadingLimits) {
        precondition(configuration.faults.isEmpty, "BUG: \(configuration.faults)")
        loops.reload(configuration, limits)
    }

    /// Ends the event loops. Nothing may be delivered to them any more.
    public func close() async throws {
        try await loops.group.shutdownGracefully()
    }
}
