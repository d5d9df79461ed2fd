import Auth
import Instruments
import Postgres
import Readings
import TestSupport

@testable import HTTP

/// The server's own routes with a database, in front of a fake sink, without any app.
struct RoutesServer: ServerWithKeys {
    let port: Int
    let settings: ConnectionSettings
    let database: Database
    let ring: KeyRing
    let feed: FakeFeed

    /// Starts a server, runs `body`, and stops the server.
    ///
    /// - Parameters:
    ///   - host: the address that access is decided for.
    ///   - knowsAllKeys: the issued keys have been read; there are none.
    static func with(
        configure: (inout HTTPConfiguration) -> Void = { _ in },
        access: (inout AccessConfiguration) -> Void = { $0.applicationKeys = key },
        host: String = "127.0.0.1", knowsAllKeys: Bool = true,
        _ body: @escaping @Sendable (RoutesServer) async throws -> Void
    ) async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "routes")
        let database = Database(settings)
        defer { database.close() }
        let (policy, ring) = try await self.access(access, host: host, knowsAllKeys: knowsAllKeys)
        let feed = FakeFeed()
        try await HTTPListener.run(configure) { configuration, logger, listening in
            HTTPListener(
                configuration: configuration, limits: ReadingLimits(), sink: FakeSink(),
                keys: FakeKeys(), ledger: ReadingLedger(), registry: Registry(),
                status: StatusServices(feed: feed, access: policy, database: database),
                logger: logger, clock: { ConnectionRig.now }, onListening: listening)
        } _: { _, port, _ in
            try await body(
                RoutesServer(
                    port: port, settings: settings, database: database, ring: ring, feed: feed))
        }
    }

    /// The time of servers with keys.
    static func now() -> Timestamp { Timestamp(unixSeconds: 1_769_178_600) }

    static func access(
        _ change: (inout AccessConfiguration) -> Void, host: String, knowsAllKeys: Bool
    ) async throws -> (AccessPolicy, KeyRing) {
        var configuration = AccessConfiguration()
        change(&configuration)
        let ring = KeyRing(
            configured: .none, application: try ConfiguredKeys(configuration.applicationKeys),
            now: now)
        if knowsAllKeys { ring.replaceIssued(with: []) }
        return (try await AccessPolicy(configuration, host: host, keys: ring, now: now), ring)
    }
}
