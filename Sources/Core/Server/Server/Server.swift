import Auth
import HTTP
import Foundation
import Ingest
import Instruments
public import Logging
import Postgres
import Readings
import Retention
import ServiceLifecycle
import SpoolLog
import Status

/// One run of the server; see `ServerModule` for the order of its steps.
public struct Server: Sendable {
    private(set) var configuration: ServiceConfiguration
    private let interruption: Interruption
    private let supervisor: Supervisor
    private let version: String
    private let commit: String?
    private let document: [UInt8]?
    private let logger: Logger
    private let reread: @Sendable () throws(StartFailure) -> ServiceConfiguration

    /// Starts nothing yet.
    ///
    /// - Parameters:
    ///   - interruption: ends ``run(announce:)``.
    ///   - supervisor: is told the server's state.
    ///   - version: for the metrics.
    ///   - commit: for the metrics; nil if this is no release.
    ///   - document: the OpenAPI document of all routes; nil if there is none.
    ///   - reread: reads the configuration again for SIGHUP.
    public init(
        configuration: ServiceConfiguration, interruption: Interruption, supervisor: Supervisor,
        version: String, commit: String? = nil, document: [UInt8]? = nil, logger: Logger,
        reread: @escaping @Sendable () throws(StartFailure) -> ServiceConfiguration
    ) {
        self.reread = reread
        self.configuration = configuration
        self.interruption = interruption
        self.supervisor = supervisor
        self.version = version
        self.commit = commit
        self.document = document
        self.logger = logger
    }

    /// Serves until a stop is requested.
    ///
    /// - Parameter announce: called once, when clients can connect.
    /// - Throws: when the start or a part of the server fails, after everything was stopped.
    public func run(
        announce: @escaping @Sendable (Announcement) -> Void
    ) async throws(StartFailure) {
        var fitting = self
        try fitting.fitFiles()
        try await fitting.runFitted(announce)
    }

    private func runFitted(
        _ announce: @escaping @Sendable (Announcement) -> Void
    ) async throws(StartFailure) {
        let heartbeats = Task { [supervisor] in await supervisor.heartbeat() }
        defer { heartbeats.cancel() }
        try await checkAddress()
        for app in configuration.apps { try app.prepare(configuration) }
        let directory = DataDirectory(configuration.dataDirectory)
        try directory.create()
        let keys = try ingestKeys(directory)
        let configuration = configuration
        let hasServed =
            configuration.spool.bytesMax > 0
            && FileManager.default.fileExists(atPath: directory.spoolPath)
        let host = try await blocking { () throws(StartFailure) in
            try DatabaseHost(configuration, isDeferred: hasServed)
        }
        for notice in host.notices { logger.notice("\(notice)") }
        for caution in Settings.cautions(of: configuration) {
            logger.warning("\(caution.key) \(caution.rule)")
        }
        let outcome: Result<Void, StartFailure>
        do throws(StartFailure) {
            outcome = .success(
                try await serve(host, keys, directory, hasServed: hasServed, announce))
        } catch {
            outcome = .failure(error)
        }
        let isHurried = interruption.isHurried
        try await blocking { () throws(StartFailure) in try host.stop(isHurried: isHurried) }
        if case .success = outcome { logger.notice("stopped") }
        try outcome.get()
    }

    // MARK: Steps of the start

    /// Fits the limits to the files that the process may open, and says so.
    private mutating func fitFiles() throws(StartFailure) {
        guard let limit = FileBudget.raiseLimit() else { return }
        let budget = try FileBudget(
            configuration, limit: limit, cores: ProcessInfo.processInfo.activeProcessorCount,
            databaseConnections: configuration.databaseConnectionsMax)
        let lowered = budget.fit(&configuration)
        guard !lowered.isEmpty else { return }
        logger.warning(
            "limits are lowered to the files that this process may open (LimitNOFILE)",
            metadata: Logger.Metadata(
                uniqueKeysWithValues: [
                    ("open_files_max", "\(limit)"), ("reserve", "\(budget.reserve)"),
                ] + lowered.map { ($0.key, "\($0.to) instead of \($0.from)") }))
    }

    /// Runs before anything is created.
    private func checkAddress() async throws(StartFailure) {
        do {
            try await HTTPListener.check(configuration.fittingEdge)
        } catch {
            throw failure(of: error)
        }
    }

    private func accessPolicy(_ ring: KeyRing) async throws(StartFailure) -> AccessPolicy {
        do throws(AccessFault) {
            return try await AccessPolicy(
                configuration.access, host: configuration.edge.host, keys: ring,
                now: Timestamp.now)
        } catch {
            throw .access(error)
        }
    }

    private func ingestKeys(
        _ directory: DataDirectory
    ) throws(StartFailure) -> (keys: ConfiguredKeys, origin: Announcement.Keys) {
        let path = directory.keyPath
        let (list, origin): (Secret, Announcement.Keys?)
        if let configured = configuration.ingestKeys {
            (list, origin) = (configured, nil)
        } else {
            let file = try IngestKeyFile(path: path).load()
            switch file.origin {
            case .made: (list, origin) = (file.key, .made(file.key, path: path))
            case .read: (list, origin) = (file.key, .kept(path: path))
            }
        }
        do throws(ConfiguredKeys.Fault) {
            let keys = try ConfiguredKeys(list.revealed())
            return (keys, origin ?? .configured(count: keys.count))
        } catch {
            preconditionFailure("BUG: keys that were checked: \(error)")
        }
    }

    private func serve(
        _ host: DatabaseHost, _ keys: (keys: ConfiguredKeys, origin: Announcement.Keys),
        _ directory: DataDirectory, hasServed: Bool,
        _ announce: @escaping @Sendable (Announcement) -> Void
    ) async throws(StartFailure) {
        guard !interruption.isRequested else { return }
        let database = Database(host.settings)
        defer { database.close() }
        let parts = DatabaseParts(configuration, host, database, keys: keys.keys, labelled)
        parts.registry.add(LimitFigures(configuration, version: version, commit: commit))
        await parts.epochs.lookAround()
        let giveUpAt = hasServed ? ContinuousClock.now + configuration.startWaitMax : nil
        let shards = try await open(
            DatabaseOpening(
                host: host, schema: parts.schema, routes: parts.routes,
                refreshKeys: { try await parts.refresher.refresh() }), by: giveUpAt)
        if shards != nil, configuration.ingestion.durability == .replicated {
            throw .configuration(
                ConfigurationProblems(problems: [RouteKeeper.notReplicatedOnCitus]))
        }
        let access = try await accessPolicy(parts.ring)
        let apps = try await RunningApps(
            Surroundings(
                configuration: configuration, directory: directory, settings: host.settings,
                access: access, database: database, node: parts.ingestion.node,
                registry: parts.registry, logger: labelled))
        let ingestor: Ingestor
        do throws(StartFailure) {
            ingestor = try await openIngestor(
                host, parts, shards, directory, hasServed: hasServed, by: giveUpAt)
        } catch {
            await apps.close()
            throw error
        }
        let slowest = SlowestBoard()
        let status = StatusSampler(
            of: ingestor, registry: parts.registry, slowest: slowest, node: parts.ingestion.node)
        let edge = edge(parts, access, apps, ingestor, status, slowest) { port in
            announce(
                Announcement(
                    host: configuration.edge.host, port: port,
                    isSecure: configuration.fittingEdge.tls != nil, dataDirectory: directory.path,
                    store: host.store, keys: keys.origin, openness: access.openness))
        }
        attach(edge, parts, access, apps, ingestor, keys.keys)
        var services: [any Service] = parts.services
        services += [
            TokenKeyRefresher(policy: access, logger: labelled("access")),
            FailingItemsWatch(database: database, registry: parts.registry),
        ]
        services += apps.services
        services += [
            LanesService(ingestor: ingestor, drainMax: configuration.ingestion.attemptMax), edge,
            status, MemoryKeeper(edge: edge, logger: labelled("memory")),
        ]
        services += apps.lastServices
        if let cluster = host.cluster {
            services.insert(ClusterKeeper(cluster: cluster, logger: labelled("cluster")), at: 0)
            services.insert(WritebackKeeper(cluster: cluster), at: 0)
            services.insert(
                AnalystKeeper(database: parts.database, logger: labelled("analysts")), at: 0)
        }
        let outcome: Result<Void, StartFailure>
        do throws(StartFailure) {
            outcome = .success(try await run(services))
        } catch {
            outcome = .failure(error)
        }
        // Also announced when a part of the server failed: its event loops may end from here on.
        supervisor.stopping(within: configuration.stopMax)
        await apps.close()
        try outcome.get()
        // After a hurried stop, lanes may still deliver to the edge's event loops.
        if !interruption.isHurried { try? await edge.close() }
    }

    /// The lanes with their spool, connected; after an earlier run also without a connection.
    private func openIngestor(
        _ host: DatabaseHost, _ parts: DatabaseParts, _ shards: ShardTable?,
        _ directory: DataDirectory, hasServed: Bool, by giveUpAt: ContinuousClock.Instant?
    ) async throws(StartFailure) -> Ingestor {
        let ingestor = Ingestor(
            parts.ingestion, rows: host.rowSettings, coordinator: host.settings, shards: shards,
            // The next start takes the spool's directory as a sign that this node has served.
            spool: try openSpool(directory), unreplicated: parts.unreplicated,
            unitKinds: configuration.unitKinds,
            registry: parts.registry, logger: labelled("lanes"))
        parts.routes.attach(ingestor)
        if let shards {
            labelled("routes").notice("Citus", metadata: RouteKeeper.figures(shards))
        }
        let connecting = Task { await ingestor.connect() }
        guard await value(of: connecting, by: giveUpAt) == true || hasServed else {
            let failure = ingestor.failure ?? PostgresError(.connectionFailed)
            await ingestor.finish(by: .now)
            DirectoryDisk.removeUnused(path: directory.spoolPath)
            throw .database(failure)
        }
        return ingestor
    }

    /// - Parameter announce: called with the port, once clients can connect.
    private func edge(
        _ parts: DatabaseParts, _ access: AccessPolicy, _ apps: RunningApps,
        _ ingestor: Ingestor, _ status: StatusSampler, _ slowest: SlowestBoard,
        _ announce: @escaping @Sendable (Int) -> Void
    ) -> HTTPListener {
        HTTPListener(
            configuration: configuration.fittingEdge, limits: configuration.fittingLimits,
            sink: ingestor, keys: parts.ring,
            ledger: parts.ledger, registry: parts.registry,
            routes: apps.routes(ingestor), document: document,
            status: StatusServices(
                feed: status, access: access, database: parts.database),
            slowest: slowest, logger: labelled("edge"), clock: Timestamp.now
        ) { [supervisor] port in
            supervisor.ready("serving on port \(port)")
            announce(port)
        }
    }

    /// Connects the edge with the parts that notify it or ask it.
    private func attach(
        _ edge: HTTPListener, _ parts: DatabaseParts, _ access: AccessPolicy,
        _ apps: RunningApps, _ ingestor: Ingestor, _ ingestKeys: ConfiguredKeys
    ) {
        apps.attach(edge)
        if !parts.ring.knowsAllKeys {
            labelled("access").notice(
                """
                issued keys are not known yet: until the database recovers, clients that may have \
                one are asked to retry
                """)
        }
        let reloading = Reloading(
            reread: reread, started: configuration, ingestKeys: ingestKeys, ring: parts.ring,
            access: access, refresher: parts.refresher, edge: edge, apps: apps,
            logger: labelled("reload"))
        interruption.attach(reload: { [supervisor] in
            Task { await supervisor.reloading { await reloading.reload() } }
        })
        supervisor.attach(
            isAlive: { await edge.isAnswering(within: $0) },
            condition: { ingestor.condition })
    }

    /// - Parameter deadline: when to go on without the database. With nil, its failure is thrown.
    /// - Returns: on Citus, where each shard is, if it was read in time.
    private func open(
        _ opening: DatabaseOpening, by deadline: ContinuousClock.Instant?
    ) async throws(StartFailure) -> ShardTable? {
        let message: Logger.Message =
            "the database is not usable yet; until then batches go to the spool"
        switch await value(of: Task { await opening.open() }, by: deadline) {
        case .success(let shards):
            return shards
        case .failure(let failure):
            guard deadline != nil, !failure.isFinal else { throw failure }
            // The lanes warn of an unreachable database.
            var level = Logger.Level.warning
            if case .database(let error) = failure, error.kind == .connectionFailed {
                level = .debug
            }
            labelled("database").log(level: level, message, metadata: ["error": "\(failure)"])
        case nil:
            labelled("database").warning(
                message, metadata: ["error": "no answer within \(configuration.startWaitMax)"])
        }
        return nil
    }

    /// Runs the parts until they end; they stop in reverse order.
    private func run(_ parts: [any Service]) async throws(StartFailure) {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: parts.map { .init(service: $0) }, logger: labelled("service")))
        let running = Task { try await group.run() }
        interruption.attach(
            stop: { [supervisor, limit = configuration.stopMax] in
                supervisor.stopping(within: limit)
                Task { await group.triggerGracefulShutdown() }
            },
            hurry: { running.cancel() })
        do {
            try await running.value
        } catch {
            if !interruption.isHurried { throw failure(of: error) }
        }
    }

    func labelled(_ label: String) -> Logger {
        var logger = Logger(label: label)
        logger.logLevel = self.logger.logLevel
        return logger
    }

    /// Errors that are not of the database or the certificate are those of the listening socket.
    private func failure(of error: any Error) -> StartFailure {
        if let error = error as? StartFailure { return error }
        if let error = error as? PostgresError { return .database(error) }
        if let error = error as? TLSFault { return .tls(error) }
        return .listen(
            host: configuration.edge.host, port: configuration.edge.port, ListenFault(error))
    }
}
