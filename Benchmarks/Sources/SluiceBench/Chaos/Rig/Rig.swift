import Fleet
import Foundation
import Oracle

/// A database and the Sluices that write to it, as one fault needs them.
final class Rig {
    let plan: RigPlan
    /// The primary.
    private(set) var database: ChaosDatabase
    /// The standby of the primary, or after a promotion the former primary.
    private(set) var standby: ChaosDatabase?
    let relay: Relay?
    let pooler: Pooler?
    let clock: RigClock?
    let spoolDisk: TinyDisk?
    let logDisk: TinyDisk?
    let tableDisk: TinyDisk?
    let nodes: [Node]
    /// The Sluice under test. The nodes may still run an older one.
    let binary: String
    private(set) var balancer: Balancer?
    let key: String
    /// What went wrong in this round apart from rows, until the round takes it.
    private(set) var complaints: [String] = []
    private(set) var crashes = 0
    private let directory: String
    private let standbyPlace: String

    static let temporaryDirectory = NSTemporaryDirectory() + "sluice-chaos-\(getpid())"

    /// - Parameters:
    ///   - binary: the Sluice under test.
    ///   - settings: Sluice's settings; they override the plan's.
    init(plan: RigPlan, binary: String, settings: [String: String]) throws {
        self.plan = plan
        self.binary = binary
        let directory = Self.temporaryDirectory
        self.directory = directory
        standbyPlace = directory + "/standby"
        let files = FileManager.default
        try? files.removeItem(atPath: directory)
        for part in ["/database", "/log", "/tables"] {
            try files.createDirectory(
                atPath: directory + part, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
        }
        for number in 0..<plan.nodes {
            try files.createDirectory(
                atPath: "\(directory)/node\(number)/spool", withIntermediateDirectories: true)
        }
        let commandLog = directory + "/mount.out"
        func disk(_ bytes: Int?, at path: String) throws -> TinyDisk? {
            try bytes.map { try TinyDisk(path: path, bytes: $0, log: commandLog) }
        }
        logDisk = try disk(plan.logDiskBytes, at: directory + "/log")
        tableDisk = try disk(plan.tableDiskBytes, at: directory + "/tables")
        spoolDisk = try disk(plan.spoolDiskBytes, at: directory + "/node0/spool")
        database = try ChaosDatabase(
            directory: directory + "/database", log: logDisk?.path, isFollowed: plan.hasStandby)
        relay =
            plan.hasRelay
            ? try Relay(directory: directory + "/relay", to: database.socketDirectory) : nil
        pooler =
            plan.hasPooler
            ? try Pooler(directory: directory + "/pooler", to: database.socketDirectory) : nil
        clock = plan.hasClock ? try RigClock(directory: directory) : nil
        key = "chaos-\(UInt64.random(in: .min ... .max))"
        var environment = plan.settings.merging(settings) { $1 }
        environment["INGEST_API_KEY"] = key
        environment["SLUICE_LOG_LEVEL"] = environment["SLUICE_LOG_LEVEL"] ?? "info"
        environment["DATABASE_URL"] =
            (relay?.directory ?? pooler?.directory).map {
                "host=\($0) port=5432 user=sluice dbname=sluice"
            }
            ?? (plan.hasStandby
                ? ChaosDatabase.url(
                    [database.socketDirectory, ChaosDatabase.socketDirectory(of: standbyPlace)])
                : database.url)
        environment.merge(clock?.environment ?? [:]) { $1 }
        nodes = try (0..<plan.nodes).map { number in
            try Node(
                number: number,
                binary: plan.startsOlder ? RigPlan.olderBinary ?? binary : binary,
                directory: "\(directory)/node\(number)", environment: environment)
        }
    }

    /// Starts everything and waits until it is healthy.
    func start() throws {
        try database.start()
        if plan.hasStandby {
            standby = try ChaosDatabase(copyOf: database, directory: standbyPlace, follows: true)
            try standby?.start()
        }
        try pooler?.start(mode: "session")
        if let tableDisk { try useTables(on: tableDisk) }
        for node in nodes {
            try node.start()
            try awaitHealth(of: node)
        }
        guard plan.hasBalancer else { return }
        balancer = try Balancer(directory: directory + "/nginx", ports: nodes.map(\.port))
        try balancer?.awaitAnswers()
    }

    /// The ports to which clients connect.
    var entrances: [Int] { balancer.map { [$0.port] } ?? nodes.map(\.port) }

    private func awaitHealth(of node: Node) throws {
        let deadline = Date(timeIntervalSinceNow: Node.startSecondsMax)
        while !node.probe.isHealthy {
            guard node.isRunning, Date() < deadline else {
                throw ChaosFailure.notHealthy(node: node.number, log: node.tail())
            }
            usleep(20_000)
        }
    }

    private func useTables(on disk: TinyDisk) throws {
        try database.give(disk.path)
        let session = try database.session()
        try session.execute("create tablespace tiny location '\(disk.path)'")
        try session.execute("alter database sluice set default_tablespace = tiny")
    }

    /// Stops everything and removes its files.
    func remove() {
        balancer?.stop()
        for node in nodes { node.kill9() }
        pooler?.stop()
        database.remove()
        standby?.remove()
        relay?.stop()
        for disk in [spoolDisk, logDisk, tableDisk] { disk?.remove() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: While a fault strikes

    /// Promotes the standby. The former primary is left as it is.
    func promoteStandby() throws {
        guard let next = standby else { preconditionFailure("BUG: no standby") }
        try next.promote()
        (database, standby) = (next, database)
    }

    /// Removes the former primary, and starts a new standby of the present one.
    func replaceStandby() throws {
        standby?.remove()
        standby = try ChaosDatabase(
            copyOf: database, directory: directory + "/standby2", follows: true)
        try standby?.start()
    }

    /// A stopped copy of the primary in its present state, which can replace it.
    func copyOfDatabase() throws -> ChaosDatabase {
        try ChaosDatabase(copyOf: database, directory: directory + "/copy", follows: false)
    }

    func complain(_ text: String) {
        complaints.append(text)
    }

    func takeComplaints() -> (complaints: [String], crashes: Int) {
        defer { (complaints, crashes) = ([], 0) }
        return (complaints, crashes)
    }

    /// Waits, and meanwhile restarts what ends by itself, as a supervisor would.
    func hold(seconds: Double) {
        let end = Date(timeIntervalSinceNow: seconds)
        repeat {
            tend()
            usleep(20_000)
        } while Date() < end
    }

    /// Stops a Sluice with SIGTERM, which must make it exit with 0, and starts it again.
    func restart(_ node: Node) throws {
        let end = node.stop(seconds: 60)
        if end != .exited(0) {
            complain(
                "SIGTERM: \(end.map(\.description) ?? "still running after 60 s"); its log:\n"
                    + node.tail())
        }
        try node.start()
        try awaitHealth(of: node)
    }

    /// - Returns: whether all spools were empty at a moment within that time.
    func awaitEmptySpool(seconds: Double) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while spooledReadings != 0 {
            guard Date() < end else { return false }
            hold(seconds: 0.02)
        }
        return true
    }

    /// Restarts each Sluice that has ended by itself, and records it.
    func tend() {
        for node in nodes {
            guard let end = node.unexpectedEnd else { continue }
            crashes += 1
            complain("Sluice \(node.number) ended by itself with \(end); its log:\n\(node.tail())")
            do { try node.start() } catch { complain("\(error)") }
        }
    }

    /// Whether all Sluices are healthy, all their lanes commit, and all spools are empty.
    var isWell: Bool {
        nodes.allSatisfy { node in
            guard let state = node.probe.state else { return false }
            return state.areLanesUp && state.spooledReadings == 0 && node.probe.isHealthy
        }
    }

    /// Readings in all spools; nil if a Sluice does not answer.
    var spooledReadings: Int? {
        var sum = 0
        for node in nodes {
            guard let state = node.probe.state else { return nil }
            sum += state.spooledReadings
        }
        return sum
    }

    /// ``spooledReadings`` as text.
    var spooledText: String { spooledReadings.map { "\($0)" } ?? "an unknown number" }
}
