import Assembly
import Auth
import CaptureRoutes
import Formats
import Foundation
import Ingest
import Instruments
import JournalRoutes
import Logging
import MealRoutes
import Media
import NewsSockets
import Postgres
import Readings
import TestSupport
import Uploads

@testable import HTTP
@testable import HTTPSupport

/// A whole server with the routes of all apps, its own database and directory, in front of a fake
/// sink.
struct AppServer: ServerWithKeys {
    let port: Int
    let services: CaptureServices
    let sink: FakeSink
    let library: MediaLibrary
    let settings: ConnectionSettings
    let database: Database
    let registry: Registry
    let ring: KeyRing
    /// Every route that it has.
    let table: RouteTable
    /// The store's directory.
    let directory: String

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
        configure: (inout HTTPConfiguration) -> Void = { _ in },
        access: (inout AccessConfiguration) -> Void = { $0.applicationKeys = key },
        host: String = "127.0.0.1",
        knowsAllKeys: Bool = true,
        routes: (inout RouteConfiguration) -> Void = { _ in },
        journal limit: (inout JournalConfiguration) -> Void = { _ in },
        inspector inspection: InspectorConfiguration = InspectorConfiguration(),
        inspectorPath: String = BuiltProgram.path("sluice-inspect"),
        store wrap: (any MediaStore) -> any MediaStore = { $0 },
        sink: FakeSink = FakeSink(), acknowledgeWithin: Duration = .seconds(30),
        _ body: @escaping @Sendable (AppServer) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "sluice-media-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let settings = try TestCluster.shared.freshDatabase(named: "routes")
        let database = Database(settings)
        defer { database.close() }
        let store = wrap(try DirectoryStore(path: directory, threads: 2))
        let library = MediaLibrary(store: store, database: database)
        let registry = Registry()
        var routeConfiguration = RouteConfiguration()
        routes(&routeConfiguration)
        let (policy, ring) = try await RoutesServer.access(
            access, host: host, knowsAllKeys: knowsAllKeys)
        let files = FileServices(routeConfiguration, space: store.space, registry: registry)
        let inspector = Inspector(
            program: inspectorPath, inspection,
            logger: Logger(label: "inspector"))
        let services = CaptureServices(
            access: policy, media: library, inspector: inspector, database: database)
        var limits = JournalConfiguration()
        limit(&limits)
        let entries = JournalLibrary(
            store: store, database: database, inspector: inspector, configuration: limits)
        let journal = JournalServices(
            access: policy, library: entries, acknowledgeWithin: acknowledgeWithin)
        let meals = MealServices(
            access: policy, database: database, acknowledgeWithin: acknowledgeWithin,
            clock: RoutesServer.now)
        // Routes read back the entries that they have committed.
        sink.set { unit in
            guard unit.kind == JournalRecord.unitKind else { return .committed("stored") }
            do throws(PostgresError) {
                let connection = try Connection.open(settings, deadline: .now + .seconds(120))
                defer { connection.close() }
                return .committed(try unit.write(on: connection))
            } catch {
                return error.sqlState.map { .refused(sqlState: "\($0)") }
                    ?? .unavailable(retryAfter: .seconds(10))
            }
        }
        let status = StatusServices(feed: FakeFeed(), access: policy, database: database)
        let news = NewsStore(database)
        let captureSockets = CaptureSockets(policy: policy, news: news, clock: RoutesServer.now)
        let groups =
            [
                services.routes(files, captureSockets),
                meals.routes(sink, MealSockets(meals, news: news)), journal.routes(files, sink),
            ] + RunningFormats(FormatInstruments(registry)).routes(sink)
        try await HTTPListener.run(configure) { configuration, logger, listening in
            HTTPListener(
                configuration: configuration, limits: ReadingLimits(), sink: sink,
                keys: FakeKeys(), ledger: ReadingLedger(), registry: registry, routes: groups,
                document: Product.document,
                status: status, logger: logger, clock: { ConnectionRig.now }, onListening: listening
            )
        } _: { _, port, _ in
            try await body(
                AppServer(
                    port: port, services: services, sink: sink, library: library,
                    settings: settings, database: database, registry: registry, ring: ring,
                    table: RouteTable(
                        RouteGroup.core(
                            sink: sink, registry: Registry(), document: Product.document,
                            status: status,
                            metricsNeedKey: false) + groups), directory: directory))
        }
        await inspector.shutdown()
        await store.shutdown()
    }
}
