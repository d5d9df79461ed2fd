import Fleet

/// A fault of a Sluice or its database, which happens once and then ends.
protocol Fault: Sendable {
    /// The name on the command line and in the table.
    var name: String { get }
    /// A description of one line.
    var summary: String { get }
    /// The environment that it needs.
    var plan: RigPlan { get }
    /// Why it can't run on this machine; nil if it can.
    var obstacle: String? { get }

    /// Causes the fault, lets it last a while, and ends it. Afterwards everything runs again, but
    /// may not be ready yet.
    ///
    /// - Parameter random: decides the moments and durations.
    /// - Returns: details for the round's line of output.
    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String
}

extension Fault {
    var plan: RigPlan { RigPlan() }
    var obstacle: String? {
        if plan.hasBalancer { return Balancer.obstacle }
        return plan.needsDisk ? TinyDisk.obstacle : nil
    }
}

extension SeededGenerator {
    mutating func seconds(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + unit() * (range.upperBound - range.lowerBound)
    }

    mutating func isHeads() -> Bool { next() & 1 == 0 }
}

/// All faults, in the order of the report.
enum Faults {
    static let all: [any Fault] = [
        SluiceKilled(), SluiceKilledWhileSpooling(), SluiceKilledWhileReplaying(),
        SluiceStopped(), OneOfTwoKilled(), DatabaseKilled(), DatabaseStopped(mode: .fast),
        DatabaseStopped(mode: .immediate), DatabaseStopped(mode: .smart), BackendsTerminated(),
        CommitUnheard(), DatabaseFrozen(), TablesLocked(), DatabaseReadOnly(), SpoolDiskFull(),
        TableDiskFull(), LogDiskFull(), ClockSetBack(), NodesKilled(), NodesRestarted(),
        NodesMigrated(), NodesUpgraded(), DurabilityTurnedOff(), RoleRestricted(), TriggerFails(),
        SpoolDirectoryRemoved(), SpoolBroughtBack(), SluiceFrozen(), RestartRefused(),
        LongHistory(), PoolerSwitched(), Failover(way: .lagging), Failover(way: .synchronous),
        Failover(way: .switchover), Failover(way: .replicated), Failover(way: .returning),
        OldPrimaryReturns(isAlone: false), OldPrimaryReturns(isAlone: true), OlderCopy(),
        CommitWaitCancelled(), StandbyFrozen(), Several(),
    ]

    /// The faults that take the least time, for `--quick`.
    static let quick = ["kill-sluice", "terminate-backends", "cut-commit", "stop-fast"]
}
