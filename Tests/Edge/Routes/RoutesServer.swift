import Access
import Edge
import Foundation
import Ingestion
import Instruments
import Logging
import Media
import Postgres
import Readings
import TestSupport

/// A whole server with its own database and directory, in front of a fake sink.
struct RoutesServer: Sendable {
    let port: Int
    let services: CaptureServices
    let meals: MealServices
    let sink: FakeSink
    let journal: JournalServices
    let library: MediaLibrary
    let settings: ConnectionSettings
    let database: Database
    let registry: Registry
    /// Keys can be issued to it.
    let ring: KeyRing
    let feed: FakeFeed
    let status: StatusServices
    /// The store's directory.
    let directory: String

    /// The key that ``with(configure:access:knowsAllKeys:routes:journal:store:_:)`` accepts unless
    /// `access` says otherwise.
    static let key = "key of the tests"

    func client(receiveBytes: Int? = nil) throws -> TCPClient {
        try TCPClient(port: port, receiveBytes: receiveBytes)
    }

    /// Sends one request on a connection of its own.
    ///
    /// - Parameter fields: complete lines without their line ends.
    func ask(
        _ method: String, _ path: String, _ fields: [String] = ["X-API-Key: \(key)"],
        host: String = "test.example:81", body: [UInt8]? = nil
    ) async throws -> ParsedAnswer {
        try await onThread {
            let client = try client()
            var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
            if let body { lines.append("Content-Length: \(body.count)") }
            try client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
            if let body { try client.send(body) }
            return try client.receiveAnswer(isHead: method == "HEAD")
        }
    }

    /// The first value of a query.
    func value(_ sql: String) throws -> String? {
        let connection = try Connection.open(settings, deadline: .now + .seconds(120))
        defer { connection.close() }
        let rows = try connection.query(sql)
        return rows.count == 0 || rows.isNull(0, 0) ? nil : rows.string(0, 0)
    }

    /// The objects in the store, and the incomplete uploads.
    func files() throws -> (objects: Int, incoming: Int) {
        func count(_ name: String) -> Int {
            let found = FileManager.default.enumerator(atPath: directory + "/" + name)
            var count = 0
            while let file = found?.nextObject() as? String {
                var isDirectory: ObjCBool = false
                let path = "\(directory)/\(name)/\(file)"
                if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
                    !isDirectory.boolValue
                {
                    count += 1
                }
            }
            return count
        }
        return (count("objects"), count("incoming"))
    }

    /// Waits until no upload is in progress and nothing is left of failed ones.
    func expectNothingUnderWay() async throws {
        let isSo = try await eventually {
            try registry.render().contains("\nsluice_uploads 0\n") && files().incoming == 0
        }
        guard isSo else { throw Stuck() }
    }

    struct Stuck: Error {}

    /// Starts a server, runs `body`, and stops the server.
    ///
    /// - Parameters:
    ///   - host: the address that access is decided for.
    ///   - knowsAllKeys: the issued keys have been read; there are none.
    ///   - journal: changes the journal's limits.
    ///   - store: wraps the directory store that the routes use.
    ///   - acknowledgeWithin: the time limit for meal logs and journal entries.
    static func with(
        configure: (inout EdgeConfiguration) -> Void = { _ in },
        access: (inout AccessConfiguration) -> Void = { $0.applicationKeys = key },
        host: String = "127.0.0.1",
        knowsAllKeys: Bool = true,
        routes: (inout RouteConfiguration) -> Void = { _ in },
        journal limit: (inout JournalConfiguration) -> Void = { _ in },
        inspector inspection: InspectorConfiguration = InspectorConfiguration(),
        inspectorPath: String = BuiltProgram.path("sluice-inspect"),
        store wrap: (any MediaStore) -> any MediaStore = { $0 },
        sink: FakeSink = FakeSink(), acknowledgeWithin: Duration = .seconds(30),
        _ body: @escaping @Sendable (RoutesServer) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "sluice-media-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let settings = try TestCluster.shared.freshDatabase(named: "routes")
        let database = Database(settings)
        defer { database.close() }
        let store = wrap(try DirectoryStore(path: directory, threads: 2))
        let library = MediaLibrary(store: store, database: database)
        let registry = Registry()
        var accessConfiguration = AccessConfiguration()
        access(&accessConfiguration)
        var routeConfiguration = RouteConfiguration()
        routes(&routeConfiguration)
        let clock: @Sendable () -> Timestamp = { Timestamp(unixSeconds: 1_769_178_600) }
        let ring = KeyRing(
            configured: .none, application: try ConfiguredKeys(accessConfiguration.applicationKeys),
            now: clock)
        if knowsAllKeys { ring.replaceIssued(with: []) }
        let policy = try await AccessPolicy(
            accessConfiguration, host: host, keys: ring, now: clock)
        let inspector = Inspector(
            program: inspectorPath, inspection,
            logger: Logger(label: "inspector"))
        let services = CaptureServices(
            access: policy, media: library, inspector: inspector, database: database,
            configuration: routeConfiguration)
        var limits = JournalConfiguration()
        limit(&limits)
        let entries = JournalLibrary(
            store: store, database: database, inspector: inspector, configuration: limits)
        let journal = JournalServices(
            access: policy, library: entries, configuration: routeConfiguration,
            acknowledgeWithin: acknowledgeWithin)
        let meals = MealServices(
            access: policy, database: database, acknowledgeWithin: acknowledgeWithin,
            clock: clock)
        // Routes read back the entries that they have committed.
        sink.set { unit in
            guard unit.kind == JournalRecord.unitKind else { return .recorded(result: "stored") }
            do throws(PostgresError) {
                let connection = try Connection.open(settings, deadline: .now + .seconds(120))
                defer { connection.close() }
                return .recorded(result: try unit.write(on: connection))
            } catch {
                return error.sqlState.map { .refused(sqlState: "\($0)") }
                    ?? .unavailable(retryAfter: .seconds(10))
            }
        }
        let feed = FakeFeed()
        let status = StatusServices(feed: feed, access: policy, database: database)
        let sockets = MealSockets(meals, news: NewsDesk(database))
        try await EdgeServer.run(configure) { configuration, logger, listening in
            EdgeServer(
                configuration: configuration, limits: ReadingLimits(), sink: sink,
                keys: FakeKeys(), ledger: ReadingLedger(), registry: registry, captures: services,
                meals: meals, journal: journal, status: status, applications: [sockets],
                logger: logger, clock: { ConnectionRig.now }, onListening: listening)
        } _: { _, port, _ in
            try await body(
                RoutesServer(
                    port: port, services: services, meals: meals, sink: sink, journal: journal,
                    library: library,
                    settings: settings,
                    database: database,
                    registry: registry, ring: ring, feed: feed, status: status,
                    directory: directory))
        }
        await inspector.shutdown()
        await store.shutdown()
    }
}
