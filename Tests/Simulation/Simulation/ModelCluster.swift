import Postgres
import SpoolLogSupport

/// The primary and its standbys. Standbys connect, disconnect, lag, are promoted and are lost.
///
/// A standby is promoted only if Sluice promises to bring back the commits that it lacks: every
/// process counts it, also one that is stopping, and it has all commits that were released before it
/// counted. Chance decides whether and when the other standbys follow it, and which primary a
/// process finds while the old one still runs.
///
/// Not modelled: servers that were promoted independently and have the same timeline number, two
/// standbys with one name, and the hour for which a missing standby counts.
final class ModelCluster {
    unowned(unsafe) private let run: Run
    private let servers: [ModelServer]
    private(set) var primary: ModelServer
    /// How many times a standby has been promoted.
    private(set) var history = 0
    /// The previous primary, while it still accepts writes.
    private var old: (history: Int, position: UInt64)?
    /// The position at which the primary's history began.
    private var branch: UInt64 = 0
    private var lastPID: Int32 = 0

    init(_ run: Run) {
        self.run = run
        servers = (0...run.scenario.standbys).map { number in
            let usesSlot = run.scenario.standbys > 0 && run.scheduler.dice.below(2) == 0
            return ModelServer(number: number, usesSlot: usesSlot)
        }
        primary = servers[0]
        for standby in standbys {
            if standby.usesSlot { standby.slots[0] = 0 }
            guard run.scheduler.dice.below(3) > 0 else { continue }
            standby.connect(0, pid: nextPID())
            standby.report(0)
        }
    }

    private var standbys: [ModelServer] { servers.filter { $0 !== primary } }

    private func nextPID() -> Int32 {
        lastPID += 1
        return lastPID
    }

    // MARK: What happens to standbys

    /// Changes standbys until faults end.
    func work() {
        while run.mayBreak, !run.scheduler.isOver {
            let most = [5, 50, 500][run.scheduler.dice.below(3)] * 1_000_000
            run.scheduler.spend(Int64(run.scheduler.dice.below(most)))
            let all = standbys
            let standby = all[run.scheduler.dice.below(all.count)]
            if run.mayBreak { happen(to: standby) }
        }
    }

    private func happen(to standby: ModelServer) {
        if standby.pid == nil {
            if run.scheduler.dice.below(standby.isSpoilt ? 4 : 2) == 0 { connect(standby) }
            return
        }
        switch run.scheduler.dice.below(20) {
        case 0...11: receive(standby)
        case 12...15: standby.leave()
        case 16: lose(standby)
        default: loseSlot(of: standby)
        }
    }

    /// Connects a standby to the primary, if necessary with a new copy of the data.
    private func connect(_ standby: ModelServer) {
        if standby.isSpoilt {
            (standby.tables, standby.isSpoilt, standby.owes) = (primary.tables, false, 0)
        }
        if standby.owes == .max { standby.owes = primary.tables.position }
        // The process waits for as many standbys as followed the previous primary, whichever they
        // are.
        let visible = Set(standbys.filter { $0.isVisible(at: history) }.map(\.name))
        for life in run.livesThatWrite where !life.watched.contains(standby.name) {
            life.watched.formIntersection(visible)
        }
        run.tell("\(standby.name) follows \(primary.name)")
        let pid = nextPID()
        standby.connect(history, pid: pid)
        // The standby holds its slot already. The sabotage needs the faulty state to last for more
        // than one look.
        let most = run.sabotage == .forgetsBusySlots ? 1_000_000_000 : 5_000_000
        run.scheduler.spend(Int64(run.scheduler.dice.below(most)))
        guard standby.pid == pid else { return }
        standby.isStarting = false
        run.scheduler.spend(20_000_000)
    }

    /// Receives the log up to its end, and reports it at once or later.
    private func receive(_ standby: ModelServer) {
        guard standby.pid != nil, !standby.isStarting else { return }
        if standby.history == history {
            standby.tables = primary.tables
        } else if let old, old.position > branch {
            standby.isSpoilt = true
            return standby.report(old.position)
        }
        if run.scheduler.dice.below(2) == 0 { standby.report(standby.tables.position) }
    }

    /// The standby's disk is lost. Its slot stays, or an operator drops it.
    private func lose(_ standby: ModelServer) {
        run.tell("\(standby.name) is lost")
        standby.leave()
        standby.isSpoilt = true
        if run.scheduler.dice.below(2) == 0 { standby.slots = [:] }
        for life in run.livesThatWrite { life.watched.remove(standby.name) }
    }

    /// The standby lags so far behind that its primary removes log which it needs, and ends its
    /// connection.
    private func loseSlot(of standby: ModelServer) {
        guard standby.slots[standby.history] != nil else { return }
        run.tell("the slot of \(standby.name) is lost")
        standby.leave()
        standby.lostSlots.insert(standby.history)
        // When this returns, every look at the primary that began before it has ended.
        run.scheduler.spend(20_000_000)
    }

    /// The primary has committed a transaction.
    func committed() {
        for standby in standbys where run.scheduler.dice.below(4) == 0 {
            if standby.history == history { receive(standby) }
        }
    }

    /// Copies the missing commits to every standby that may be promoted.
    func catchUp() {
        for standby in standbys where !standby.isSpoilt { standby.tables = primary.tables }
    }

    /// From now on all standbys follow the primary.
    func heal() {
        old = nil
        for standby in standbys {
            standby.isSpoilt = false
            standby.connect(history, pid: nextPID())
        }
        reportAll()
    }

    func reportAll() {
        catchUp()
        for standby in standbys { standby.report(standby.tables.position) }
    }

    /// A process has looked. It may have released every commit that all the standbys it counts
    /// have.
    func release(besides counted: Set<String>) {
        for standby in standbys where !counted.contains(standby.name) {
            standby.owes = max(standby.owes, primary.tables.position)
        }
    }

    // MARK: Failover

    /// A standby that may be promoted; nil if there is none.
    func candidate() -> ModelServer? {
        let candidates = standbys.filter(mayTakeOver)
        guard !candidates.isEmpty else { return nil }
        return candidates[run.scheduler.dice.below(candidates.count)]
    }

    private func mayTakeOver(_ standby: ModelServer) -> Bool {
        !standby.isSpoilt && standby.tables.position >= standby.owes
            && run.livesThatWrite.allSatisfy { !$0.hasLooked || $0.watched.contains(standby.name) }
    }

    /// Whether the old primary may go on running. It does not show the promoted standby to a
    /// process that looks for the first time.
    var mayGoOn: Bool { run.livesThatWrite.allSatisfy(\.hasLooked) }

    func promote(_ next: ModelServer, oldGoesOn: Bool) {
        let before = primary
        branch = next.tables.position
        run.tell("\(next.name) takes over; \(before.tables.position - branch) commits are lost")
        for standby in standbys where standby !== next {
            standby.owes = mayTakeOver(standby) ? 0 : .max
            if standby.tables.position > branch { standby.isSpoilt = true }
            if !oldGoesOn || standby.history < history { standby.leave() }
        }
        old = oldGoesOn ? (history, before.tables.position) : nil
        before.isSpoilt = true
        for life in run.livesThatWrite { life.watched.remove(before.name) }
        next.leave()
        primary = next
        history += 1
    }

    func oldIsGone() {
        old = nil
        for standby in standbys where standby.history < history { standby.leave() }
    }

    /// A commit on the old primary moves its position and reaches no other tables.
    func oldCommits(_ history: Int) {
        if old?.history == history { old?.position += 1 }
    }

    // MARK: For those who ask

    /// The history of the server that a process finds when it tries all hosts.
    ///
    /// A process that has not seen the promoted standby finds the new primary: Sluice promises
    /// nothing to a process that writes to the old primary and never knew the new one.
    func historyThatIsFound(by life: Life) -> Int {
        guard let old, run.mayBreak, life.watched.contains(primary.name),
            run.scheduler.dice.below(3) == 0
        else { return history }
        return old.history
    }

    var oldHistory: Int? { old?.history }

    func epoch(_ history: Int) -> Epoch {
        let isOld = old?.history == history
        return Epoch(
            systemID: "model", timeline: UInt32(history + 1),
            position: isOld ? old?.position ?? 0 : primary.tables.position, accepted: 0)
    }

    func visible(at history: Int) -> [ModelServer] {
        servers.filter { $0.isVisible(at: history) }
    }

    func senders(at history: Int) -> [ReplicationViews.Sender] {
        servers.compactMap { $0.sender(at: history) }
    }

    func slots(at history: Int) -> [ReplicationViews.Slot] {
        servers.compactMap { $0.slot(at: history) }
    }
}
