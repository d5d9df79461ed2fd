import Instruments
import Logging
import NIOCore
import Readings
import ServiceLifecycle
import TestSupport
import Testing

@testable import HTTP

/// A whole server on a port of its own, in front of a fake sink.
struct RunningServer: Sendable {
    let port: Int
    let sink: FakeSink
    let ledger: ReadingLedger
    let registry: Registry
    let server: HTTPListener
    let stop: @Sendable () async -> Void

    func client(receiveBytes: Int? = nil) throws -> TCPClient {
        try TCPClient(port: port, receiveBytes: receiveBytes)
    }

    /// The value of one line of the metrics page.
    func metric(_ line: String) -> Int? {
        for row in registry.render().split(separator: "\n") where row.hasPrefix(line + " ") {
            return Int(row.dropFirst(line.count + 1))
        }
        return nil
    }

    /// Waits until `condition` holds.
    func eventually(
        _ condition: @Sendable () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        if try await TestSupport.eventually({ condition() }) { return }
        Issue.record("it never came to that", sourceLocation: sourceLocation)
    }

    /// Checks that nothing is held for any client and that the accounts balance.
    func expectNothingHeld(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually(
            { ledger.snapshot.pending == 0 && metric("sluice_http_in_flight_bytes") == 0 },
            sourceLocation: sourceLocation)
    }

    /// Starts a server, runs `body`, and stops the server.
    ///
    /// - Parameter clock: every event loop reads it at each sweep.
    static func with(
        _ behaviour: FakeSink.Behaviour = .commit,
        applications: [any SocketApplication] = [],
        clock: StoppableClock = StoppableClock(),
        configure: (inout HTTPConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        let sink = FakeSink(behaviour)
        let ledger = ReadingLedger()
        let registry = Registry()
        registry.add(ledger)
        try await HTTPListener.run(configure) { configuration, logger, listening in
            HTTPListener(
                configuration: configuration, limits: ReadingLimits(), sink: sink, keys: FakeKeys(),
                ledger: ledger, registry: registry,
                routes: applications.map { RouteGroup($0.routes, envelope: .detail) },
                document: Array("{}".utf8), logger: logger,
                clock: { clock.now() }, onListening: listening)
        } _: { server, port, stop in
            try await body(
                RunningServer(
                    port: port, sink: sink, ledger: ledger, registry: registry, server: server,
                    stop: stop))
        }
    }
}

extension HTTPListener {
    /// Runs the server that `make` creates while `body` runs.
    static func run(
        _ configure: (inout HTTPConfiguration) -> Void,
        _ make: (HTTPConfiguration, Logger, @escaping @Sendable (Int) -> Void) -> HTTPListener,
        _ body:
            @escaping @Sendable (
                _ server: HTTPListener, _ port: Int, _ stop: @escaping @Sendable () async -> Void
            ) async throws -> Void
    ) async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        configuration.eventLoopCount = 2
        configuration.sweepInterval = .milliseconds(20)
        configuration.shutdownWithin = .seconds(20)
        configure(&configuration)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let server = make(configuration, logger) { port.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else {
                try await server.close()
                try await tasks.waitForAll()
                return
            }
            let stop: @Sendable () async -> Void = { await group.triggerGracefulShutdown() }
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(server, port, stop))
            } catch {
                result = .failure(error)
            }
            await stop()
            try await tasks.waitForAll()
            try await server.close()
            try result.get()
        }
    }
}
