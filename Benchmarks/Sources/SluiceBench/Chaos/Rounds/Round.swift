import Fleet
import Foundation
import Load
import Oracle

/// One fault under load, from the first batch to the last row read back.
struct Round {
    let rig: Rig
    let fault: any Fault
    let options: ChaosOptions
    let seed: UInt64

    /// How long the round waits for recovery under load. Without an acceptance in that time, it
    /// counts as never recovered.
    private static let recoverySecondsMax = 25.0
    private static let leadSeconds = 0.4...1.5
    /// If the spool is not empty this long after the fault, it drains without load.
    private static let loadNanosecondsMax: UInt64 = 6_000_000_000
    /// The load continues for this long after the first acceptance.
    private static let tailSeconds = 0.5
    private static let fullLoadConnections = 64
    private static let requestsPerSecond = 400.0
    private static let settleSecondsMax = 40.0

    func run() throws -> RoundOutcome {
        var outcome = RoundOutcome(fault: fault.name)
        var random = SeededGenerator(seed: seed ^ 0xFA17)
        let clients = Clients(rig: rig, options: options, seed: seed)
        let load = try LoadThreads(
            rig: rig, clients: clients,
            connections: rig.plan.pace == .full
                ? Self.fullLoadConnections : options.connections,
            requestsPerSecond: rig.plan.pace == .steady
                ? options.rate ?? Self.requestsPerSecond : nil,
            seed: seed,
            secondsMax: 120)
        var healedAt: UInt64 = 0
        do {
            rig.hold(seconds: random.seconds(Self.leadSeconds))
            outcome.note = try fault.strike(rig, clients, &random)
            healedAt = clients.watch()
            recover(clients, from: healedAt, &outcome)
        } catch {
            clients.stop()
            _ = load.join(seconds: Self.settleSecondsMax)
            throw error
        }
        clients.stop()
        let isDone = load.join(seconds: Self.settleSecondsMax)
        settle(from: healedAt, &outcome)
        guard isDone else {
            outcome.others.append("a request hangs")
            return outcome
        }
        try verify(clients.close(), &outcome)
        return outcome
    }

    /// Waits under load for the first acceptance, and for a limited time until everything has
    /// recovered.
    private func recover(
        _ clients: Clients, from healedAt: UInt64, _ outcome: inout RoundOutcome
    ) {
        let limit = healedAt + UInt64(Self.recoverySecondsMax * 1e9)
        var endsAt: UInt64?
        while monotonicNanoseconds() < limit {
            rig.tend()
            if outcome.firstMilliseconds == nil, let at = clients.firstAcceptance {
                outcome.firstMilliseconds = Double(at - healedAt) * 1e-6
                endsAt = monotonicNanoseconds() + UInt64(Self.tailSeconds * 1e9)
            }
            if outcome.emptyMilliseconds == nil, outcome.firstMilliseconds != nil, rig.isWell {
                outcome.emptyMilliseconds = Double(monotonicNanoseconds() - healedAt) * 1e-6
            }
            let now = monotonicNanoseconds()
            if let endsAt, now >= endsAt,
                outcome.emptyMilliseconds != nil || now >= healedAt + Self.loadNanosecondsMax
            {
                return
            }
            usleep(10_000)
        }
    }

    /// Waits without load until everything has recovered. By then the last spooled readings are
    /// stored.
    private func settle(from healedAt: UInt64, _ outcome: inout RoundOutcome) {
        let limit = monotonicNanoseconds() + UInt64(Self.settleSecondsMax * 1e9)
        while !rig.isWell {
            rig.tend()
            guard monotonicNanoseconds() < limit else {
                outcome.emptyMilliseconds = nil
                outcome.others.append(
                    "\(rig.spooledText) readings remain in the spool: \(rig.nodes[0].tail())")
                return
            }
            usleep(10_000)
        }
        outcome.emptyMilliseconds =
            outcome.emptyMilliseconds ?? Double(monotonicNanoseconds() - healedAt) * 1e-6
    }

    private func verify(_ books: Clients.Books, _ outcome: inout RoundOutcome) throws {
        let ledger = books.ledger
        outcome.batches = books.batches
        outcome.committed = ledger.totals.records
        outcome.spooled = ledger.spooled.records
        outcome.unanswered = books.unanswered
        outcome.refusals = (books.statuses[429] ?? 0) + (books.statuses[503] ?? 0)
        let session = try rig.database.session()
        let verification = try Verification.run(
            ledger, on: session, commitsMayBeUndone: rig.plan.commitsMayBeUndone)
        outcome.add(verification.objections)
        for (status, count) in books.unexpected.sorted(by: { $0.key < $1.key }) {
            outcome.others.append("\(count) unexpected answers with status \(status)")
        }
        let told = rig.takeComplaints()
        outcome.others += told.complaints
        outcome.crashes = told.crashes
        // Each round has its own fleet, so the next one does not need these rows.
        if outcome.isClean {
            try session.execute(
                "truncate sluice.gps, sluice.vital, sluice.event, sluice.quarantine")
        }
    }
}
