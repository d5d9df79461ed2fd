import Fleet

/// Two to four of the other faults in a row, each before Sluice has recovered from the last one.
struct Several: Fault {
    let name = "several"
    let summary = "two to four simple faults in a row, without time to recover in between"

    private static let choice: [any Fault] = [
        SluiceKilled(), SluiceKilledWhileSpooling(), SluiceStopped(), DatabaseKilled(),
        DatabaseStopped(mode: .fast), DatabaseStopped(mode: .immediate), BackendsTerminated(),
        DatabaseFrozen(), TablesLocked(), DatabaseReadOnly(), RoleRestricted(), TriggerFails(),
        SluiceFrozen(), RestartRefused(), DurabilityTurnedOff(),
    ]

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        var names: [String] = []
        for _ in 0..<Int(2 + random.next() % 3) {
            let fault = Self.choice[Int(random.next() % UInt64(Self.choice.count))]
            names.append(fault.name)
            _ = try fault.strike(rig, clients, &random)
        }
        return names.joined(separator: ", ")
    }
}
