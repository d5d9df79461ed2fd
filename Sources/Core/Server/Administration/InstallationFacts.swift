import Auth
public import Doctor
import HTTP
import Foundation
import Ingest
import OperatorErrors
import Postgres
import Readings
import Retention
import SpoolLog
import Status
import Synchronization

/// Gathers the facts that `sluice doctor` checks.
///
/// Creates nothing: no cluster, no directory, no schema. A private cluster that is not running is
/// started for the query and stopped again.
public enum InstallationFacts {
    /// A larger spool is not read to count its contents.
    private static let spoolBytesRead = 1 << 30

    /// Blocks, for seconds if a cluster has to be started.
    public static func gather(_ configuration: ServiceConfiguration) -> Facts {
        let directory = DataDirectory(configuration.dataDirectory)
        let isPrivate = configuration.databaseURL == nil
        var facts = Facts(database: .notMade, isPrivate: isPrivate)
        facts.demand = demand(configuration, isPrivate: isPrivate)
        let server = runningServer(directory)
        facts.machine = .gather(server: server)
        for app in configuration.apps { app.examine(&facts.machine) }
        fitFiles(configuration, &facts)
        if server != nil { facts.server = self.server(configuration) }
        (facts.database, facts.wasStarted) = database(configuration, directory)
        facts.disks = disks(configuration, directory, isPrivate: isPrivate)
        facts.certificate = certificate(configuration)
        facts.spool = spool(configuration, directory)
        facts.retention = retention(configuration.fittingRetention)
        facts.access = access(configuration, directory)
        if case .reached(let database) = facts.database, database.work.hasApplicationKeys {
            facts.access.isOpen = false
        }
        return facts
    }

    // MARK: Database

    private static func database(
        _ configuration: ServiceConfiguration, _ directory: DataDirectory
    ) -> (Facts.Reach, wasStarted: Bool) {
        if configuration.databaseURL == nil {
            if Foundation.access(directory.clusterMarkPath, F_OK) != 0 {
                guard errno == EACCES else {
                    let has = PrivateCluster.hasPrograms(
                        DatabaseAccess.clusterConfiguration(configuration))
                    return (has ? .notMade : .programsMissing(version: nil), false)
                }
                return (
                    .unreachable(
                        reason: "\(NSUserName()) may not look into \(directory.path)/postgres"),
                    false
                )
            }
        }
        var wasStarted = false
        do throws(StartFailure) {
            let access = try DatabaseAccess(configuration)
            wasStarted = access.ownsCluster
            let outcome: Result<DatabaseFacts, StartFailure>
            do throws(StartFailure) {
                outcome = .success(try ask(access.settings))
            } catch {
                outcome = .failure(error)
            }
            try access.close()
            return (.reached(try outcome.get()), wasStarted)
        } catch .database(let error) where error.kind == .sessionsShared {
            return (.sessionsShared(reason: error.operatorText), wasStarted)
        } catch .database(let error) where error.kind == .epochRefused {
            return (.epochRefused(reason: error.operatorText), wasStarted)
        } catch .cluster(.serverMissing) {
            return (.programsMissing(version: nil), wasStarted)
        } catch .cluster(.versionMissing(let version, _)) {
            return (.programsMissing(version: version), wasStarted)
        } catch {
            return (.unreachable(reason: error.operatorText), wasStarted)
        }
    }

    /// The process in the data directory's lock files. The files outlive the process, and another
    /// program may have its id by then.
    private static func runningServer(_ directory: DataDirectory) -> Int32? {
        for path in ["\(directory.path)/sluice.lock", "\(directory.spoolPath)/spool.lock"] {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                let process = Int32(text), process != getpid(),
                let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8),
                name == "sluice\n"
            else { continue }
            return process
        }
        return nil
    }

    /// Asks the server for one report, for a few seconds at most.
    private static func server(_ configuration: ServiceConfiguration) -> ServerFacts {
        let key = ProcessInfo.processInfo.environment[StatusWatch.keyVariable]
        let watch = StatusWatch(configuration, key: key.flatMap { $0.isEmpty ? nil : $0 })
        let found = Mutex(ServerFacts())
        DatabaseAccess.wait {
            for await event in watch.events() {
                if case .report(let report, _) = event {
                    found.withLock {
                        $0.lanes = report.lanes.count
                        $0.lanesNotDirect = report.lanesNotDirect.map { Int($0) }
                    }
                }
                return
            }
        }
        return found.withLock { $0 }
    }

    private static func ask(_ settings: ConnectionSettings) throws(StartFailure) -> DatabaseFacts {
        let connection = try DatabaseAccess.connect(settings)
        defer { connection.close() }
        do throws(PostgresError) {
            connection.deadline = .now + .seconds(60)
            return try DatabaseFacts.gather(
                on: connection, daysAhead: IngestionConfiguration.daysAhead)
        } catch {
            throw .database(error)
        }
    }

    // MARK: Configuration

    private static func demand(
        _ configuration: ServiceConfiguration, isPrivate: Bool
    ) -> Demand {
        let (edge, ingestion) = (configuration.edge, configuration.ingestion)
        var demand = Demand()
        demand.databaseConnections = configuration.databaseConnectionsMax
        demand.rowLanes =
            ingestion.lanes > 0 ? ShardPlacement.rowLanes(of: ingestion.lanes) : nil
        demand.lanesGoToNodes = ingestion.goesToOwners
        demand.openFiles = FileBudget.needed(
            configuration, cores: ProcessInfo.processInfo.activeProcessorCount,
            databaseConnections: demand.databaseConnections)
        // The figures for a connection and a socket are those of their modules.
        demand.memoryBytes =
            (64 << 20) + edge.inFlightBytesMax + edge.unsentBytesMax + ingestion.spoolIntakeBytesMax
            + ingestion.replayBytesMax + edge.connectionsMax * (8 << 10)
            + edge.sockets.socketsMax * (24 << 10)
            + configuration.apps.flatMap(\.places).reduce(0) {
                $0 + $1.bytes * configuration[keyPath: $1.field]
            }
        demand.backlog = edge.backlogMax
        demand.spoolBytesMax = configuration.spool.bytesMax
        demand.spoolFreeBytesMin = configuration.spool.freeBytesMin
        return demand
    }

    /// What the server does with as many open files as it may have.
    private static func fitFiles(_ configuration: ServiceConfiguration, _ facts: inout Facts) {
        guard let limit = facts.machine.openFilesMax else { return }
        var configuration = configuration
        do throws(StartFailure) {
            let budget = try FileBudget(
                configuration, limit: limit, cores: ProcessInfo.processInfo.activeProcessorCount,
                databaseConnections: facts.demand.databaseConnections)
            facts.demand.loweredLimits = budget.fit(&configuration).map {
                "\($0.key)=\($0.to) instead of \($0.from)"
            }
        } catch {
            if case .filesTooFew(_, let needed) = error { facts.demand.openFilesMin = needed }
        }
    }

    private static func disks(
        _ configuration: ServiceConfiguration, _ directory: DataDirectory, isPrivate: Bool
    ) -> [DiskFacts] {
        var disks: [DiskFacts] = [.gather(.data, path: directory.path)]
        if configuration.spool.bytesMax > 0 {
            disks.append(.gather(.spool, path: directory.spoolPath))
        }
        disks += configuration.apps.flatMap { $0.disks(configuration) }
        if let path = configuration.retention.directoryPath {
            disks.append(.gather(.archive, path: path))
        }
        if isPrivate {
            // As root, this process is not the directory's owner; the path may be a symbolic link.
            let path = URL(fileURLWithPath: directory.path + "/postgres")
                .resolvingSymlinksInPath().path
            var disk = DiskFacts.gather(.database, path: path)
            disk.isWritable = true
            disks.append(disk)
        }
        return disks
    }

    private static func retention(_ configuration: RetentionConfiguration) -> RetentionFacts {
        var facts = RetentionFacts()
        facts.days = configuration.readingDays
        facts.quietDaysMax = configuration.quietDaysMax
        facts.sealAfterDays = configuration.sealAfterDays ?? 0
        if configuration.isBucket, let archive = configuration.archive {
            do throws(ArchiveError) {
                try archive.demand()
                facts.destination = .bucket(archive.location, fault: nil)
            } catch {
                facts.destination = .bucket(archive.location, fault: "\(error)")
            }
        }
        if let path = configuration.directoryPath {
            var isDirectory: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            facts.destination = .directory(path, isThere: isThere && isDirectory.boolValue)
        }
        return facts
    }

    private static func certificate(_ configuration: ServiceConfiguration) -> CertificateFacts? {
        guard let tls = configuration.fittingEdge.tls else { return nil }
        var facts = CertificateFacts(path: tls.certificatePath, keyPath: tls.keyPath)
        facts.keyMode = DiskFacts.mode(of: tls.keyPath)
        do throws(TLSFault) {
            facts.secondsLeft = try TLSInspection.expiry(tls) - Timestamp.now().unixSeconds
        } catch {
            facts.fault = error.description
        }
        return facts
    }

    private static func spool(
        _ configuration: ServiceConfiguration, _ directory: DataDirectory
    ) -> SpoolFacts? {
        let path = directory.spoolPath
        guard Foundation.access(path, F_OK) == 0 else { return nil }
        var facts = SpoolFacts(path: path)
        do throws(StartFailure) {
            let contents = try SpoolContents(configuration)
            let sizes = try contents.sizes()
            facts.files = sizes.count
            facts.bytes = sizes.reduce(0) { $0 + $1.bytes }
            facts.setAside = sizes.filter(\.isSetAside).map(\.name)
            guard facts.bytes <= spoolBytesRead else { return facts }
            let reports = try contents.reports()
            let waiting = reports.filter { $0.kind == .segment }
            facts.units = waiting.reduce(0) { $0 + $1.units }
            facts.damaged = waiting.filter { $0.fault != nil }.map(\.name)
            facts.setAsideIntact = reports.filter {
                $0.kind == .setAside && $0.fault == nil && $0.readError == nil && $0.records > 0
            }.map(\.name)
            facts.unread = reports.compactMap { report in
                report.readError.map { "\(report.name): \(String(cString: strerror($0.errno)))" }
            }
            if let oldest = waiting.compactMap(\.firstTime).min() {
                facts.oldestSeconds = Int((Timestamp.now().microseconds - oldest) / 1_000_000)
            }
        } catch {
            facts.fault = error.operatorText
        }
        return facts
    }

    private static func access(
        _ configuration: ServiceConfiguration, _ directory: DataDirectory
    ) -> AccessFacts {
        var facts = AccessFacts()
        facts.host = configuration.edge.host
        // Without credentials, only loopback addresses have no faults.
        facts.isLoopback = AccessConfiguration().faults(host: facts.host).isEmpty
        var elsewhere = configuration.access
        elsewhere.isOpenAllowed = false
        facts.isOpen = !elsewhere.faults(host: "192.0.2.1").isEmpty
        facts.trustsPathUser = configuration.callers.trustsPathUser
        facts.isSecure = configuration.fittingEdge.tls != nil
        if let keys = configuration.ingestKeys {
            facts.ingestKeys = (try? ConfiguredKeys(keys.revealed()))?.count ?? 0
        } else if let mode = DiskFacts.mode(of: directory.keyPath) {
            facts.ingestKeys = 1
            facts.isKeyFileOpen = mode & 0o077 != 0
        }
        return facts
    }
}
