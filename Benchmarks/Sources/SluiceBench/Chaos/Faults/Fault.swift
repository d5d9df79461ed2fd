import Fleet

/// Something bad that happens to a Sluice or its database, once, and then is over.
protocol Fault: Sendable {
    /// For the command line and the table.
    var name: String { get }
    /// One line for people.
    var summary: String { get }
    /// What it needs around it.
    var plan: RigPlan { get }
    /// Why it can't be had on this machine; nil when it can.
    var obstacle: String? { get }

    /// Strikes, lasts a while, and heals: afterwards everything is there again, if not yet ready.
    ///
    /// - Parameter random: decides about moments and lengths.
    /// - Returns: what is worth telling of this time.
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

/// All of them, in the order of the report.
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

    /// Those that take the least time, one round of each for a quick look.
    static let quick = ["kill-sluice", "terminate-backends", "cut-commit", "stop-fast"]
}
