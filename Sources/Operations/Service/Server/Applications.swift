import Access
import Analysis
import AsyncHTTPClient
import Captures
import Edge
import Foundation
import Gemini
import Ingestion
import Instruments
import Jobs
import Logging
import Meals
import Media
import NIOCore
import Notices
import Postgres
import Readings
import ServiceLifecycle

/// The parts that serve users' apps: authentication, files, jobs, notices.
struct Applications: Sendable {
    let access: AccessPolicy
    let captures: CaptureServices
    let meals: MealServices
    let journal: JournalServices
    let sockets: [any SocketApplication]
    let captureTimes: CaptureTimes
    let board: NoticeBoard
    /// Must start in this order, before the edge.
    let parts: [any Service]
    /// Must start after the edge, so that it stops before it.
    let lastPart: any Service

    private let news: NewsDesk
    private let store: any MediaStore
    private let inspector: Inspector
    private let jobDatabases: [Database]
    private let client: HTTPClient

    /// The kinds of units that lanes write: all that a spool may hold.
    static let unitKinds = [Capture.unitKind] + NewMeal.kinds + [JournalRecord.unitKind]

    /// Does not connect yet; creates the directory of uploaded files.
    ///
    /// - Parameters:
    ///   - ring: has read the issued keys, unless the database is unreachable.
    ///   - database: the routes' connections.
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
        inspector = Inspector(configuration.inspector, logger: logger("inspector"))
        inspector.logUnlessInstalled()
        captures = CaptureServices(
            access: access, media: library, inspector: inspector, database: database,
            configuration: edge.routes)
        journal = JournalServices(
            access: access,
            library: JournalLibrary(store: store, database: database, inspector: inspector),
            configuration: edge.routes, acknowledgeWithin: edge.acknowledgeWithin)
        meals = MealServices(
            access: access, database: database,
            estimatedSeconds: configuration.applications.mealParser.estimatedSeconds,
            acknowledgeWithin: edge.acknowledgeWithin, clock: Timestamp.now)
        news = NewsDesk(database)
        captureTimes = CaptureTimes(configuration.limits)
        sockets = [
            CaptureSockets(
                acknowledgeWithin: edge.acknowledgeWithin, policy: access, news: news,
                times: captureTimes, clock: Timestamp.now),
            MealSockets(meals, news: news),
        ]
        board = NoticeBoard(settings: settings, registry: registry, logger: logger("notices"))
        client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: GeminiClient.httpConfiguration)
        let handlers = Self.jobHandlers(
            configuration, inspector: inspector, client: client, logger: logger
        ) { [captures] path, user in
            try await Self.read(path, of: user, from: library, captures)
        }
        var parts: [any Service] = [
            TokenKeyRefresher(policy: access, logger: logger("access")), board,
            MediaSweeping(library: library, logger: logger("media")),
            FailingItemsWatch(database: database, registry: registry),
        ]
        var jobDatabases: [Database] = []
        if configuration.jobs.concurrency > 0 {
            // Users wait for their meals, so a backlog of captures must not delay them.
            for (name, handlers) in handlers {
                let database = Self.jobDatabase(settings, configuration.jobs)
                jobDatabases.append(database)
                parts.append(
                    JobRunner(
                        settings: settings, database: database, handlers: handlers, node: node,
                        name: name, countsTable: name == "captures",
                        configuration: configuration.jobs, registry: registry,
                        logger: logger("jobs")))
            }
        }
        self.jobDatabases = jobDatabases
        self.parts = parts
        lastPart = ThumbnailStop(inspector: inspector)
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

    /// Closes everything. No part may be used afterwards.
    func close() async {
        await news.finish()
        for database in jobDatabases { database.close() }
        await inspector.shutdown()
        await store.shutdown()
        try? await client.shutdown()
    }
}

/// Removes unreferenced files and leftovers of crashed uploads, once an hour.
struct MediaSweeping: Service {
    let library: MediaLibrary
    let logger: Logger

    private static let interval: Duration = .seconds(3600)
    /// Lets a start's other work go first.
    private static let delay: Duration = .seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.delay)
            while !Task.isCancelled {
                await sweep()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func sweep() async {
        do {
            let figures = try await library.sweep()
            if figures.failed > 0 {
                logger.warning(
                    "files could not be removed; sluice doctor names them",
                    metadata: ["failed": "\(figures.failed)"])
            }
            guard figures.objectsRemoved + figures.leftoversRemoved > 0 else { return }
            logger.info(
                "removed unreferenced files",
                metadata: [
                    "files": "\(figures.objectsRemoved)",
                    "leftovers": "\(figures.leftoversRemoved)",
                ])
        } catch is CancellationError {
        } catch {
            logger.warning(
                "unreferenced files could not be removed; this is retried",
                metadata: ["error": "\(error)"])
        }
    }
}
