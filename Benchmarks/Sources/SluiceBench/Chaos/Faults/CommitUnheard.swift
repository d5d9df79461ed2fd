import Fleet

/// The connection breaks between a COMMIT and its answer, several times in a row.
struct CommitUnheard: Fault {
    let name = "cut-commit"
    let summary = "the connection cut between COMMIT and its answer, several times in a row"
    let plan = RigPlan(hasRelay: true, pace: .full)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        guard let relay = rig.relay else { preconditionFailure("BUG: no relay") }
        let before = relay.cuts
        for _ in 0..<Int(2 + random.next() % 8) {
            relay.cutNextCommit()
            rig.hold(seconds: random.seconds(0.02...0.25))
        }
        relay.disarm()
        let cuts = relay.cuts - before
        if cuts == 0 { rig.complain("no COMMIT passed the relay") }
        return "\(cuts) commits cut"
    }
}
