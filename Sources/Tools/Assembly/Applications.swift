import Auth
import Analysis
import AsyncHTTPClient
import CaptureRoutes
import Captures
import HTTP
import Foundation
import Gemini
import Ingest
import Instruments
import Jobs
import JournalRoutes
import Logging
import MealRoutes
import Meals
import Media
import NIOCore
import NewsSockets
import Notices
import Postgres
import Readings
import Server
import ServiceLifecycle
import Uploads

/// The parts that serve users' apps: files, jobs, notices.
struct Applications: RunningApp {
    let captures: CaptureServices
    let meals: MealServices
    let journal: JournalServices
    let files: FileServices
    let captureSockets: CaptureSockets
    let mealSockets: MealSockets
    let captureTimes: CaptureTimes
    let board: NoticeBoard
    let services: [any Service]
    var lastServices: [any Service] { [ThumbnailStop(inspector: inspector)] }

    private let news: NewsStore
    private let store: any MediaStore
    private let inspector: Inspector
    private let jobDatabases: [Database]
    private let client: HTTPClient

    /// Does not connect yet; creates the directory of uploaded files.
    init(_ surroundings: Surroundings) async throws(StartFailure) {
        let (configuration, database) = (surroundings.configuration, surroundings.database)
        let (settings, registry) = (surroundings.settings, surroundings.registry)
        let (access, logger) = (surroundings.access, surroundings.logger)
        let acknowledgeWithin = configuration.edge.acknowledgeWithin
        do throws(MediaStoreError) {
            store = try MediaStorage.open(configuration.media(in: surroundings.directory))
        } catch {
            throw .app(Self.text(error))
        }
        let library = MediaLibrary(store: store, database: database)
        inspector = Inspector(configuration.inspector, logger: logger("inspector"))
        inspector.logUnlessInstalled()
        captures = CaptureServices(
            access: access, media: library, inspector: inspector, database: database)
        journal = JournalServices(
            access: access,
            library: JournalLibrary(store: store, database: database, inspector: inspector),
            acknowledgeWithin: acknowledgeWithin)
        files = FileServices(configuration.fittingRoutes, space: store.space, registry: registry)
        meals = MealServices(
            access: access, database: database,
            estimatedSeconds: configuration.applications.mealParser.estimatedSeconds,
            acknowledgeWithin: acknowledgeWithin, clock: Timestamp.now)
        news = NewsStore(database)
        captureTimes = CaptureTimes(configuration.limits)
        captureSockets = CaptureSockets(
            acknowledgeWithin: acknowledgeWithin, policy: access, news: news, times: captureTimes,
            clock: Timestamp.now)
        mealSockets = MealSockets(meals, news: news)
        board = NoticeBoard(settings: settings, registry: registry, logger: logger("notices"))
        client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: GeminiClient.httpConfiguration)
        let handlers = Self.jobHandlers(
            configuration, inspector: inspector, client: client, logger: logger
        ) { [captures] path, user in
            try await Self.read(path, of: user, from: library, captures)
        }
        var services: [any Service] = [
            board, MediaSweeping(library: library, logger: logger("media")),
        ]
        var jobDatabases: [Database] = []
        if configuration.jobs.concurrency > 0 {
            // Users wait for their meals, so a backlog of captures must not delay them.
            for (name, handlers) in handlers {
                let database = Self.jobDatabase(settings, configuration.jobs)
                jobDatabases.append(database)
                services.append(
                    JobRunner(
                        settings: settings, database: database, handlers: handlers,
                        node: surroundings.node,
                        name: name, countsTable: name == "captures",
                        configuration: configuration.jobs, registry: registry,
                        logger: logger("jobs")))
            }
        }
        self.jobDatabases = jobDatabases
        self.services = services
    }

    private static func text(_ error: MediaStoreError) -> String {
        guard case .disk(let operation, let code) = error else { return "\(error)" }
        let reason = String(cString: strerror(code))
        return "the directory of uploaded files can't be used (\(operation): \(reason)); set "
            + "SLUICE_MEDIA_STORE or SLUICE_DATA_DIR to one that \(NSUserName()) may write"
    }

    /// - Returns: the job handlers of each runner, by the runner's name.
    private static func jobHandlers(
        _ configuration: ServiceConfiguration, inspector: Inspector, client: HTTPClient,
        logger: (String) -> Logger,
        media: @escaping @Sendable (String, String) async throws -> [UInt8]?
    ) -> [(String, [any JobHandler])] {
        let analysis = configuration.fittingAnalysis
        let model =
            analysis.gemini.key.isEmpty
            ? nil : GeminiClient(analysis.gemini, client: client)
        let captures = AnalysisJobs.handlers(
            analysis, media: media, inspector: inspector, model: model)
        let meals = MealParseJob(
            clock: Timestamp.now,
            parser: configuration.applications.mealParser.maker(
                model: model, logger: logger("meals")))
        return [("captures", captures), ("meals", [meals])]
    }

    /// A runner has its own connections, so that jobs do not delay routes.
    private static func jobDatabase(
        _ settings: ConnectionSettings, _ configuration: JobConfiguration
    ) -> Database {
        var limits = Database.Limits()
        limits.connectionsMax = configuration.concurrency
        return Database(settings, limits: limits)
    }

    /// The contents of a file that a capture of the user names; nil if there is none that the user
    /// may read.
    private static func read(
        _ path: String, of user: String, from library: MediaLibrary, _ captures: CaptureServices
    ) async throws -> [UInt8]? {
        guard let path = MediaPath(path), path.captureID != nil,
            let media = try await library.open(path),
            try await captures.mayRead(media.file, .user(user, until: nil), isNamed: true)
        else { return nil }
        let contents = try await media.source.contents()
        return Array(contents.readableBytesView)
    }

    func routes(_ sink: any BatchSink) -> [RouteGroup] {
        [
            captures.routes(files, captureSockets), meals.routes(sink, mealSockets),
            journal.routes(files, sink),
        ]
    }

    func attach(
        _ notify: @escaping @Sendable (_ topic: String, _ user: String, _ text: String) -> Void
    ) {
        board.subscribe { notify($0.topic, $0.userID, $0.payload) }
    }

    func reload(_ configuration: ServiceConfiguration) {
        captureTimes.replace(with: configuration.limits)
    }

    func close() async {
        await news.finish()
        for database in jobDatabases { database.close() }
        await inspector.shutdown()
        await store.shutdown()
        try? await client.shutdown()
    }
}
