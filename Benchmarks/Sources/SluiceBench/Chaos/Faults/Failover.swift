import Fleet
import Foundation
import Oracle

// A primary and a standby, both in Sluice's URL. Whatever happens to them, what was acknowledged
// is on the server that is the primary in the end.

/// The primary is killed while its standby lags, and the standby is promoted.
struct Failover: Fault {
    enum Way: String {
        /// Asynchronous replication: what the standby lacks is lost with the primary.
        case lagging
        /// Commits wait for the standby.
        case synchronous
        /// The primary is stopped cleanly and follows the new one.
        case switchover
        /// Answers wait for the standby, and Sluice is killed at the same moment as the primary.
        case replicated
        /// Sluice is killed once the readings that the standby lacked are in its spool.
        case returning
    }

    let way: Way

    var name: String {
        switch way {
        case .lagging: "failover"
        case .synchronous: "failover-sync"
        case .switchover: "switchover"
        case .replicated: "failover-both"
        case .returning: "failover-kill"
        }
    }

    var summary: String {
        switch way {
        case .lagging: "the standby lags, the primary is killed, the standby is promoted"
        case .synchronous: "like failover, but commits wait for the standby"
        case .switchover: "the primary is stopped, and becomes the standby of the promoted server"
        case .replicated: "answers wait for the standby; primary and Sluice are killed together"
        case .returning: "Sluice is killed while it replays what the new primary lacks"
        }
    }

    var plan: RigPlan {
        var plan = RigPlan(
            hasStandby: true, commitsMayBeUndone: way == .lagging || way == .returning)
        if way == .replicated { plan.settings["SLUICE_DURABILITY"] = "replicated" }
        if way == .returning {
            // Small groups, so that the replay takes long enough to be hit.
            plan.settings["SLUICE_REPLAY_GROUP_BYTES_MAX"] = "16KiB"
            plan.settings["SLUICE_REPLAY_BYTES_MAX"] = "256KiB"
        }
        return plan
    }

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let old = rig.database
        if way == .synchronous { try old.session().makeSynchronous() }
        rig.hold(seconds: random.seconds(0.3...1))
        if way == .switchover {
            try old.stop(.fast)
            try rig.promoteStandby()
            try old.follow(rig.database)
            return ""
        }
        old.signalSenders(SIGSTOP)
        rig.hold(seconds: random.seconds(0.05...1.5))
        old.crash()
        if way == .replicated { rig.nodes[0].kill9() }
        rig.hold(seconds: random.seconds(0...1))
        try rig.promoteStandby()
        if way == .replicated {
            try rig.nodes[0].start()
            rig.hold(seconds: random.seconds(0...2))
            // Without a standby nothing is replicated, and nothing leaves the spool.
            try rig.replaceStandby()
        }
        guard way == .returning else { return "" }
        return try killWhileReturning(rig, &random)
    }

    private func killWhileReturning(
        _ rig: Rig, _ random: inout SeededGenerator
    ) throws -> String {
        let node = rig.nodes[0]
        // Until the readings are in the spool, they are only in the process's memory.
        for _ in 0..<1000 {
            if node.probe.sample("sluice_unreplicated_returned_total") ?? 0 > 0,
                node.probe.sample("sluice_unreplicated_bytes") == 0
            {
                break
            }
            rig.hold(seconds: 0.005)
        }
        if node.probe.sample("sluice_unreplicated_returned_total") ?? 0 == 0 {
            rig.complain("no reading was returned to the spool")
        }
        let left = rig.spooledText
        node.kill9()
        rig.hold(seconds: random.seconds(0...0.5))
        try node.start()
        return "\(left) in the spool at the kill"
    }
}

/// After a failover the old primary returns, unfenced, and accepts writes.
struct OldPrimaryReturns: Fault {
    /// Whether the new primary is down meanwhile.
    let isAlone: Bool

    var name: String { isAlone ? "old-alone" : "old-returns" }
    var summary: String {
        isAlone
            ? "after a failover both are down, then only the old primary runs for a while"
            : "after a failover the old primary returns, unfenced; sessions are terminated"
    }
    var plan: RigPlan { RigPlan(hasStandby: true, commitsMayBeUndone: true) }

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let old = rig.database
        if random.isHeads() { old.signalSenders(SIGSTOP) }
        rig.hold(seconds: random.seconds(0.05...0.5))
        old.crash()
        try rig.promoteStandby()
        rig.hold(seconds: random.seconds(0...2))
        let new = rig.database
        if isAlone { new.crash() }
        try old.start()
        let before = try old.session().readings()
        if !isAlone { try new.terminateSessions(new.session()) }
        rig.hold(seconds: random.seconds(0.5...2.5))
        let written = try old.session().readings() - before
        if written != 0 { rig.complain("\(written) readings were written to the old primary") }
        old.crash()
        if isAlone { try new.start() }
        return ""
    }
}

/// For a while, a restored copy of an earlier moment replaces the primary.
struct OlderCopy: Fault {
    let name = "older-copy"
    let summary = "an older copy of the database replaces the primary for a while"
    let plan = RigPlan(hasStandby: true)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let copy = try rig.copyOfDatabase()
        defer { copy.remove() }
        rig.hold(seconds: random.seconds(0.5...1.5))
        try rig.database.stop(random.isHeads() ? .fast : .immediate)
        try copy.start()
        let before = try copy.session().readings()
        rig.hold(seconds: random.seconds(0.5...2))
        let written = try copy.session().readings() - before
        if written != 0 { rig.complain("\(written) readings were written to the copy") }
        copy.crash()
        try rig.database.start()
        return ""
    }
}

/// Commits wait for a frozen standby, and their wait is cancelled or their session ended. In half
/// the rounds the primary is then killed and the standby promoted.
struct CommitWaitCancelled: Fault {
    let name = "cancelled-wait"
    let summary = "the standby frozen; commits that wait for it cancelled or terminated"
    let plan = RigPlan(hasStandby: true)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let session = try rig.database.session()
        try session.makeSynchronous()
        rig.hold(seconds: random.seconds(0.2...0.6))
        rig.standby?.signalAll(SIGSTOP)
        let end = random.isHeads() ? "pg_terminate_backend" : "pg_cancel_backend"
        var count = 0
        for _ in 0..<Int(10 + random.next() % 40) {
            count += try session.number(
                "select count(\(end)(pid)) from pg_stat_activity where wait_event = 'SyncRep'")
            rig.hold(seconds: 0.05)
        }
        let isLost = random.isHeads()
        if isLost { rig.database.crash() }
        rig.standby?.signalAll(SIGCONT)
        if isLost { try rig.promoteStandby() }
        return "\(count) by \(end)" + (isLost ? ", then a failover" : "")
    }
}

/// The standby is frozen for a while. Whether commits wait for it or not, everything continues
/// afterwards.
struct StandbyFrozen: Fault {
    let name = "standby-frozen"
    let summary = "SIGSTOP of the standby for up to seven seconds"
    let plan = RigPlan(hasStandby: true)

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let isSynchronous = random.isHeads()
        if isSynchronous { try rig.database.session().makeSynchronous() }
        rig.standby?.signalAll(SIGSTOP)
        rig.hold(seconds: random.seconds(0.5...7))
        rig.standby?.signalAll(SIGCONT)
        return isSynchronous ? "synchronous" : "asynchronous"
    }
}

extension Session {
    /// From now on commits wait for the standby.
    fileprivate func makeSynchronous() throws {
        try execute("alter system set synchronous_standby_names = '*'")
        try execute("select pg_reload_conf()")
    }

    /// The number of readings in the tables.
    fileprivate func readings() throws -> Int {
        try number(
            """
            select (select count(*) from sluice.gps) + (select count(*) from sluice.vital)
                + (select count(*) from sluice.event)
            """)
    }
}
