import ArgumentParser
import Fleet
import Foundation
import Load
import Oracle

/// A soak, from the first batch to the last row read back.
struct SoakRun {
    let rig: Rig
    let options: ChaosOptions
    let seconds: Double
    let faultSeconds: Double
    let seed: UInt64

    private static let peakSeconds = 10.0
    private static let connectionsOfPeak = 64
    private static let settleSecondsMax = 300.0

    /// Two nodes, whose clock can be set if the library for it has been built.
    static func makeRig(binary: String, settings: [String: String]) throws -> Rig {
        let archive = Rig.temporaryDirectory + "/archive"
        let plan = RigPlan(
            nodes: 2, hasClock: RigClock.obstacle == nil,
            settings: ["SLUICE_ARCHIVE_DIRECTORY": archive])
        let rig = try Rig(plan: plan, binary: binary, settings: settings)
        try FileManager.default.createDirectory(
            atPath: archive, withIntermediateDirectories: true)
        return rig
    }

    /// - Returns: whether nothing grew and every row is right.
    func run() throws -> Bool {
        var fleets: [Clients] = []
        var rate = options.rate ?? 0
        if options.rate == nil {
            let (peak, clients) = try measurePeak()
            fleets.append(clients)
            rate = peak / 2
            say(String(format: "peak %.0f requests a second; the soak has half of it", peak))
        }
        let plan = SoakPlan(
            seconds: seconds, requestsPerSecond: rate, options: options,
            faultSeconds: faultSeconds)
        if let obstacle = plan.obstacle(freeBytes: try Self.freeBytes()) {
            throw ValidationError(obstacle)
        }
        let clients = Clients(
            rig: rig, options: options, seed: seed, days: plan.days,
            tickSeconds: plan.tickSeconds)
        fleets.append(clients)
        say(
            String(
                format: "seed %llu: %.0f s, %.0f requests a second, %d devices, batches of %d, "
                    + "readings of the last %d days", seed, seconds, rate, options.devices,
                options.batch, Int(plan.days)))
        let load = try LoadThreads(
            rig: rig, clients: clients, connections: options.connections, requestsPerSecond: rate,
            seed: seed, secondsMax: seconds + 3600)
        var watch = SoakWatch(rig: rig, clients: clients, plan: plan)
        var acts = SoakActs(seed: seed, plan: plan)
        watch.run(&acts)
        fleets.forEach { $0.stop() }
        let isDone = load.join(seconds: Self.settleSecondsMax)
        settle()
        var objections: [String] = isDone ? [] : ["a request hangs"]
        for fleet in fleets where isDone { objections += try verify(fleet) }
        return report(watch.samples, acts, objections)
    }

    /// Requests a second as fast as answers arrive, from a fleet of its own.
    private func measurePeak() throws -> (Double, Clients) {
        let clients = Clients(rig: rig, options: options, seed: seed ^ 0x9EA4)
        let load = try LoadThreads(
            rig: rig, clients: clients, connections: Self.connectionsOfPeak / 2,
            requestsPerSecond: nil, seed: seed, secondsMax: Self.peakSeconds)
        guard load.join(seconds: Self.peakSeconds + 60) else {
            throw ValidationError("A request hangs while the peak is measured.")
        }
        return (Double(clients.batches) / Self.peakSeconds, clients)
    }

    /// Of the file system with the rig's files.
    private static func freeBytes() throws -> Double {
        let attributes = try FileManager.default.attributesOfFileSystem(
            forPath: Rig.temporaryDirectory)
        return (attributes[.systemFreeSize] as? NSNumber)?.doubleValue ?? 0
    }

    /// Waits until the spools are empty: then the last acknowledged readings are stored.
    private func settle() {
        let limit = Date(timeIntervalSinceNow: Self.settleSecondsMax)
        while !rig.isWell {
            rig.tend()
            guard Date() < limit else {
                return rig.complain(
                    "\(rig.spooledText) readings remain in the spools: \(rig.nodes[0].tail())")
            }
            usleep(50_000)
        }
    }

    /// - Returns: what is wrong.
    private func verify(_ clients: Clients) throws -> [String] {
        let books = clients.close()
        let verification = try Verification.run(books.ledger, on: try rig.database.session())
        say(
            "\(verification.rows) rows and \(verification.quarantined) quarantined readings read "
                + "back; \(books.ledger.totals.records) readings were acknowledged with 200, "
                + "\(books.ledger.spooled.records) with 202; \(books.unanswered) requests "
                + "unanswered")
        return verification.objections.lines
            + books.unexpected.sorted { $0.key < $1.key }
            .map { "\($0.value) unexpected answers with status \($0.key)" }
    }

    private func report(
        _ samples: [SoakSample], _ acts: SoakActs, _ objections: [String]
    ) -> Bool {
        let verdict = SoakVerdict(samples)
        let told = rig.takeComplaints()
        let wrong = objections + told.complaints
        say("")
        say(acts.counts.map { "\($0.name) × \($0.count)" }.joined(separator: ", "))
        acts.skipped.forEach { say("\($0.name): skipped, \($0.reason)") }
        verdict.lines.forEach { say($0) }
        wrong.forEach { say($0) }
        let isGood = verdict.isGood && wrong.isEmpty
        say(
            isGood
                ? "nothing grew; no acknowledged reading was lost or stored twice, and none was "
                    + "invented" : "NOT GOOD")
        return isGood
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
