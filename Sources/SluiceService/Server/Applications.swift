import Access
import Analysis
import AsyncHTTPClient
import Captures
import Edge
import Ingestion
import Instruments
import Jobs
import Logging
import MediaStorage
import NIOCore
import Notices
import Postgres
import Readings
import ServiceLifecycle

/// What serves users' apps beside telemetry, put together: who may call, files, jobs, notices.
struct Applications: Sendable {
    let access: AccessPolicy
    let captures: CaptureServices
    let sockets: [any SocketApplication]
    let board: NoticeBoard
    /// To be started in this order, before the edge.
    let parts: [any Service]

    private let store: any MediaStore
    private let database: Database
    private let client: HTTPClient

    /// What lanes write for them.
    static let unitKinds = [Capture.unitKind]

    /// Connects nowhere yet; makes the directory of uploaded files.
    ///
    /// - Parameters:
    ///   - ring: has read the issued keys, unless the database is away.
    ///   - database: for routes.
    init(
        _ configuration: ServiceConfiguration, _ directory: DataDirectory,
        settings: ConnectionSettings, ring: KeyRing, database: Database, node: String,
        registry: Registry, logger: @Sendable (String) -> Logger
    ) async throws(StartFailure) {
        let edge = configuration.fittingEdge
        do throws(AccessFault) {
            access = try await AccessPolicy(
                configuration.access, host: edge.host, keys: ring, now: Timestamp.now)
        } catch {
            throw .access(error)
        }
        do throws(MediaStoreError) {
            store = try MediaLocation.open(configuration.media(in: directory))
        } catch {
            throw .media(error)
        }
        let library = MediaLibrary(store: store, database: database)
        captures = CaptureServices(
            access: access, media: library, database: database,
            configuration: edge.routes)
        sockets = [
            CaptureSockets(
                acknowledgeWithin: edge.acknowledgeWithin, policy: access, clock: Timestamp.now)
        ]
        board = NoticeBoard(settings: settings, registry: registry, logger: logger("notices"))
        client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: GeminiAnalyser.clientConfiguration)
        // Its own, so that many jobs don't keep routes waiting.
        var limits = Database.Limits()
        limits.connectionsMax = max(1, configuration.jobs.concurrency)
        self.database = Database(settings, limits: limits)
        let handlers = AnalysisJobs.handlers(
            configuration.fittingAnalysis,
            media: { [captures] path, user in
                try await Self.read(path, of: user, from: library, captures)
            },
            client: client)
        var parts: [any Service] = [
            TokenKeyRefresher(policy: access, logger: logger("access")), board,
            MediaSweeping(library: library, logger: logger("media")),
        ]
        if configuration.jobs.concurrency > 0 {
            parts.append(
                JobRunner(
                    settings: settings, database: self.database, handlers: handlers, node: node,
                    configuration: configuration.jobs, registry: registry,
                    logger: logger("jobs")))
        }
        self.parts = parts
    }

    /// A file that this user may see; nil when there is none. A file without an owner is the
    /// capture's that it was uploaded for; as long as there is none it is anybody's.
    private static func read(
        _ path: String, of user: String, from library: MediaLibrary, _ captures: CaptureServices
    ) async throws -> [UInt8]? {
        guard let path = MediaPath(path), let media = try await library.open(path) else {
            return nil
        }
        let owner = try await captures.owner(of: media.file)
        guard owner == nil || owner == user else { return nil }
        let contents = try await media.source.contents()
        return Array(contents.readableBytesView)
    }

    /// Ends what is kept open. Nothing of it may be used after.
    func close() async {
        database.close()
        await store.shutdown()
        try? await client.shutdown()
    }
}
