import Access
import Edge
import Foundation
import Ingestion
import Instruments
public import Logging
import Notices
import Postgres
import Readings
import Retention
import ServiceLifecycle
import Spooling
import Status

/// One run of the server, from nothing to nothing; see `SluiceService` for the order.
public struct Server: Sendable {
    private let configuration: ServiceConfiguration
    private let interruption: Interruption
    private let supervisor: Supervisor
    private let version: String
    private let logger: Logger
    private let reread: @Sendable () throws(StartFailure) -> ServiceConfiguration

    /// Starts nothing yet.
    ///
    /// - Parameters:
    ///   - interruption: ends ``run(announce:)``.
    ///   - supervisor: hears how the server is.
    ///   - version: for the metrics.
    ///   - reread: reads the configuration again, when SIGHUP asks for it.
    public init(
        configuration: ServiceConfiguration, interruption: Interruption, supervisor: Supervisor,
        version: String, logger: Logger,
        reread: @escaping @Sendable () throws(StartFailure) -> ServiceConfiguration
    ) {
        self.reread = reread
        self.configuration = configuration
        self.interruption = interruption
        self.supervisor = supervisor
        self.version = version
        self.logger = logger
    }

    /// Serves until it is told to stop.
    ///
    /// - Parameter announce: called once, when clients can come in.
    /// - Throws: when the start failed, or when a part of the server failed while it ran; all that
    ///   was started is stopped then.
    public func run(
        announce: @escaping @Sendable (Announcement) -> Void
    ) async throws(StartFailure) {
        let beats = Task { [supervisor] in await supervisor.beat() }
        defer { beats.cancel() }
        let directory = DataDirectory(configuration.dataDirectory)
        try directory.create()
        FileLimit.raise()
        let keys = try ingestKeys(directory)
        let configuration = configuration
        let hasServed =
            configuration.spool.bytesMax > 0
            && FileManager.default.fileExists(atPath: directory.spoolPath)
        let host = try await blocking { () throws(StartFailure) in
            try DatabaseHost(configuration, isDeferred: hasServed)
        }
        for notice in host.notices { logger.notice("\(notice)") }
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
        let registry = Registry()
        let schema = SchemaKeeper(settings: host.settings, logger: labelled("schema"))
        let database = Database(host.settings)
        defer { database.close() }
        let quota = configuration.keyBytesPerSecond
        let ring = KeyRing(
            configured: keys.keys, application: configuration.applicationKeys,
            bytesPerSecond: quota > 0 ? quota : nil, now: Timestamp.now)
        let refresher = KeyRefresher(
            ring: ring, database: database, interval: configuration.keyRefreshInterval,
            logger: labelled("access"))
        let rollups = RollupKeeper(database: database, logger: labelled("rollups"))
        let routes = RouteKeeper(database: database, logger: labelled("routes"))
        let eras = EraWatch(host.settings, host.eras, registry: registry, logger: labelled("era"))
        await eras.lookAround()
        let giveUpAt = hasServed ? ContinuousClock.now + configuration.startWaitMax : nil
        let shards = try await open(
            DatabaseOpening(
                host: host, schema: schema, routes: routes,
                refreshKeys: { try await refresher.refresh() }), by: giveUpAt)
        let ledger = ReadingLedger()
        Self.register(ledger, ring, in: registry)
        registry.add(LimitFigures(configuration, version: version))
        var ingestion = configuration.ingestion
        if ingestion.node.isEmpty { ingestion.node = ProcessInfo.processInfo.hostName }
        let retention = RetentionKeeper(
            settings: host.settings, configuration.retention, node: ingestion.node,
            registry: registry, logger: labelled("retention"))
        let applications = try await Applications(
            configuration, directory, settings: host.settings, ring: ring, database: database,
            node: ingestion.node, registry: registry, logger: labelled)
        let ingestor = Ingestor(
            ingestion, rows: host.rowSettings, coordinator: host.settings, shards: shards,
            // Only now: its directory says at the next start that this node has served.
            spool: try openSpool(directory), registry: registry, logger: labelled("lanes"))
        routes.attach(ingestor)
        if let shards {
            labelled("routes").notice("Citus", metadata: RouteKeeper.figures(shards))
        }
        let connecting = Task { await ingestor.connect() }
        guard await value(of: connecting, by: giveUpAt) == true || hasServed else {
            let failure = ingestor.failure ?? PostgresError(.connectionFailed)
            await ingestor.finish(by: .now)
            await applications.close()
            DirectoryDisk.removeUnused(path: directory.spoolPath)
            throw .database(failure)
        }
        let address = configuration.edge.host
        let isSecure = configuration.fittingEdge.tls != nil
        let slowest = SlowestBoard()
        let status = StatusSampler(
            of: ingestor, registry: registry, slowest: slowest, node: ingestion.node)
        let edge = EdgeServer(
            configuration: configuration.fittingEdge, limits: configuration.fittingLimits,
            sink: ingestor, keys: ring, ledger: ledger, registry: registry,
            captures: applications.captures, meals: applications.meals,
            journal: applications.journal,
            status: StatusServices(
                feed: status, access: applications.access, database: database),
            slowest: slowest, applications: applications.sockets,
            logger: labelled("edge"), clock: Timestamp.now
        ) { [store = host.store, access = applications.access, supervisor] port in
            supervisor.ready("serving on port \(port)")
            announce(
                Announcement(
                    host: address, port: port, isSecure: isSecure,
                    dataDirectory: directory.path, store: store, keys: keys.origin,
                    openness: access.openness))
        }
        applications.board.subscribe { notice in
            edge.notify(topic: notice.topic, user: notice.userID, text: notice.payload)
        }
        if !ring.knowsAllKeys {
            labelled("access").warning(
                """
                issued keys are not known yet; whoever may have one is told to come again until the \
                database is back
                """)
        }
        let reloading = Reloading(
            reread: reread, ingestKeys: keys.keys, ring: ring, access: applications.access,
            refresher: refresher, edge: edge, logger: labelled("reload"))
        interruption.attach(reload: { [supervisor] in
            Task { await supervisor.reloading { await reloading.reload() } }
        })
        supervisor.attach(
            isAlive: { await edge.isAnswering(within: $0) },
            condition: { ingestor.condition })
        let lanes = LanesService(
            ingestor: ingestor, drainMax: configuration.ingestion.attemptMax)
        var parts: [any Service] =
            [eras, schema, refresher, routes, rollups, retention] + applications.parts + [
                lanes, edge, status, MemoryKeeper(edge: edge, logger: labelled("memory")),
                applications.lastPart,
            ]
        if let cluster = host.cluster {
            parts.insert(ClusterKeeper(cluster: cluster, logger: labelled("cluster")), at: 0)
            parts.insert(WritebackKeeper(cluster: cluster), at: 0)
        }
        let outcome: Result<Void, StartFailure>
        do throws(StartFailure) {
            outcome = .success(try await run(parts))
        } catch {
            outcome = .failure(error)
        }
        // Also when a part of the server failed: from here on its event loops may go.
        supervisor.stopping(within: configuration.stopMax)
        await applications.close()
        try outcome.get()
        // In a hurry lanes may still deliver to its event loops.
        if !interruption.isHurried { try? await edge.close() }
    }

    /// - Parameter deadline: nil: waits for as long as it takes, and ends the start if it fails.
    /// - Returns: on Citus, where rows are, if that was read by then.
    private func open(
        _ opening: DatabaseOpening, by deadline: ContinuousClock.Instant?
    ) async throws(StartFailure) -> ShardTable? {
        let message: Logger.Message =
            "the database can't be used yet; batches go to the spool until it can"
        switch await value(of: Task { await opening.open() }, by: deadline) {
        case .success(let shards):
            return shards
        case .failure(let failure):
            guard deadline != nil, !failure.isFinal else { throw failure }
            labelled("database").warning(message, metadata: ["error": "\(failure)"])
        case nil:
            labelled("database").warning(
                message, metadata: ["error": "no answer within \(configuration.startWaitMax)"])
        }
        return nil
    }

    /// - Returns: the spool, recovered, if there is to be one.
    private func openSpool(
        _ directory: DataDirectory
    ) throws(StartFailure) -> Spool<DirectoryDisk>? {
        guard configuration.spool.bytesMax > 0 else { return nil }
        let spool: Spool<DirectoryDisk>
        do throws(SpoolError) {
            spool = try Spool(
                DirectoryDisk(path: directory.spoolPath), configuration: configuration.fittingSpool)
        } catch {
            throw .spool(error)
        }
        report(spool.recovery)
        return spool
    }

    private func report(_ recovery: SpoolRecovery) {
        let logger = labelled("spool")
        if recovery.records > 0 {
            logger.notice(
                "batches and units of work wait in the spool",
                metadata: [
                    "records": "\(recovery.records)", "readings": "\(recovery.tally[.usual])",
                    "units": "\(recovery.units - recovery.tally[.usual])",
                ])
        }
        if recovery.bytesCut > 0 {
            logger.notice(
                "the end of a write that a crash cut off was dropped; it was never acknowledged",
                metadata: ["bytes": "\(recovery.bytesCut)"])
        }
        for bad in recovery.setAside {
            logger.critical(
                "\(bad.reason.text); what is whole is brought back, the file is kept",
                metadata: ["file": "\(bad.name)", "records": "\(bad.records)"])
        }
    }

    /// Runs the parts; they stop in reverse order.
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

    // MARK: -

    private static func register(
        _ ledger: ReadingLedger, _ ring: KeyRing, in registry: Registry
    ) {
        registry.add(ledger)
        registry.add(ProcessFigures())
        registry.gauge(
            "sluice_keys", help: "API keys in force.", labels: [MetricLabel("origin", "configured")]
        ) { Double(ring.configuredCount) }
        registry.gauge(
            "sluice_keys", help: "API keys in force.", labels: [MetricLabel("origin", "issued")]
        ) { Double(ring.issuedCount) }
    }

    private func labelled(_ label: String) -> Logger {
        var logger = Logger(label: label)
        logger.logLevel = self.logger.logLevel
        return logger
    }

    /// What is neither the database's nor the certificate's is the listening socket's.
    private func failure(of error: any Error) -> StartFailure {
        if let error = error as? StartFailure { return error }
        if let error = error as? PostgresError { return .database(error) }
        if let error = error as? TLSFault { return .tls(error) }
        return .listen(
            host: configuration.edge.host, port: configuration.edge.port, ListenFault(error))
    }
}
