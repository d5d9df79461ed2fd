import ArgumentParser
import Fleet
import Foundation
import Load
import Readings

struct FrozenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frozen",
        abstract: "Memory and answers while the database is frozen under full load.",
        discussion: """
            The database's processes get SIGSTOP, or a table is locked, for --seconds. Sluice's \
            resident memory is read each second. Its limit is the memory before the load, plus the \
            configured budgets, plus 16 KiB per connection. In the second half it may grow by \
            at most 1 MiB a minute. Every request must be answered within --answer-within.
            """)

    @Option(help: "How the database is frozen: SIGSTOP (stop) or a locked table (lock).")
    var way = FrozenWay.stop

    @Option(help: "How long the database is frozen, in seconds.")
    var seconds = 120.0

    @Option(help: "Longest time for an answer, in seconds.")
    var answerWithin = 10.0

    @OptionGroup(title: "Server and load") var options: ChaosOptions

    func validate() throws {
        guard seconds >= 4, answerWithin > 0 else {
            throw ValidationError("--seconds must be at least 4, and --answer-within positive.")
        }
    }

    func run() throws {
        Stopping.listen()
        let binary = try options.binary()
        var plan = RigPlan()
        plan.pace = .full
        let rig = try Rig(plan: plan, binary: binary, settings: options.settings)
        defer { rig.remove() }
        try rig.start()
        usleep(1_000_000)
        let budgets = try MemoryBudget(
            binary: binary, settings: options.settings, connections: options.connections)
        let result = try measure(rig, idleBytes: rig.nodes[0].residentBytes)
        let verdict = FrozenVerdict(
            budget: budgets, result: result, answerSecondsMax: answerWithin)
        verdict.lines.forEach { print($0) }
        guard verdict.isGood else { throw ExitCode(1) }
    }

    private func measure(_ rig: Rig, idleBytes: Int) throws -> FrozenResult {
        let workload = FrozenWorkload(
            fleet: FleetModel(profile()),
            itinerary: WorkloadPlan(
                devices: options.devices, batch: options.batch, readings: .max, habits: Habits(),
                seed: 1))
        var load = LoadPlan(
            target: try Target(url: "http://127.0.0.1:\(rig.nodes[0].port)/ingest"))
        load.headLines = "Content-Type: application/json\r\nX-API-Key: \(rig.key)\r\n"
        load.connections = options.connections
        load.answerNanosecondsMax = UInt64((answerWithin + 5) * 1e9)
        load.durationNanoseconds = UInt64((seconds + 60) * 1e9)
        let runner = FrozenLoad(plan: load, workload: workload)
        runner.start()
        // Warm up, so that buffers and pools exist before the database is frozen.
        rig.hold(seconds: 3)
        let warmBytes = rig.nodes[0].residentBytes
        let thaw = try way.freeze(rig.database)
        var samples: [Int] = []
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end, !Stopping.isAsked {
            rig.hold(seconds: 1)
            samples.append(rig.nodes[0].residentBytes)
        }
        let spooled = rig.spooledText
        try thaw()
        rig.hold(seconds: 2)
        workload.stop()
        let report = runner.join(seconds: answerWithin + 30)
        return FrozenResult(
            idleBytes: idleBytes, warmBytes: warmBytes, samples: samples,
            spooledReadings: spooled, report: report,
            complaints: rig.takeComplaints().complaints)
    }

    private func profile() -> FleetProfile {
        let today = Int64(Timestamp.now().day)
        var profile = FleetProfile(
            start: Timestamp(microseconds: (today - 1) * Timestamp.microsecondsPerDay))
        profile.devices = options.devices
        return profile
    }
}
