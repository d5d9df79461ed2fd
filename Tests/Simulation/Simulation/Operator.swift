import Postgres
import Readings
import SpoolLogSupport

/// What an operator does to one device or owner for a while.
enum Intervention: CaseIterable {
    /// An open transaction has changed a device's row in `device_state`.
    case locksState
    /// A trigger does not let that row be changed.
    case keepsState
    /// An open transaction has locked a device's row in `device`, where its attributes are.
    case locksDevice
    /// An open transaction has locked a row of a unit.
    case locksNote

    /// The longest time, in nanoseconds, that others may wait meanwhile. If the database can't name
    /// what is locked, the patience passes first.
    var othersTimeMax: Int64 {
        switch self {
        case .locksState, .keepsState, .locksDevice: 1_000_000_000
        case .locksNote: 4_000_000_000
        }
    }
}

/// Blocks single devices and owners, one at a time.
final class Operator {
    /// A sender that was blocked may be remembered as that for this long, in nanoseconds.
    private static let memory: Int64 = 20_000_000_000

    unowned(unsafe) private let run: Run
    /// When each device, or each owner, was last blocked; `.max`: it still is.
    private var devices: [Int64: Int64] = [:]
    private var owners: [Int: Int64] = [:]
    /// The present open transaction.
    private var transaction: ModelTransaction?

    init(_ run: Run) { self.run = run }

    private(set) var isIntervening = false

    /// Whether it holds a lock.
    var isHolding: Bool { transaction != nil }

    /// Intervenes until faults end.
    func work() {
        let all = run.scenario.interventions
        while run.mayBreak, !run.scheduler.isOver {
            run.scheduler.spend(Int64(run.scheduler.dice.below(800_000_000)))
            guard run.mayBreak else { return }
            let isWatched = run.scenario.othersTimeMax != nil
            let most = isWatched ? 5000 : [50, 1000, 5000][run.scheduler.dice.below(3)]
            intervene(all[run.scheduler.dice.below(all.count)], for: Int64(most) * 1_000_000)
        }
    }

    private func intervene(_ intervention: Intervention, for time: Int64) {
        // The others are watched only as long as they were not blocked themselves.
        let isWatched = run.scenario.othersTimeMax != nil
        let device = isWatched ? 0 : run.scheduler.dice.below(run.scenario.devices)
        let key = run.key(of: device).value
        // There is no row of a device that is not registered.
        guard intervention == .locksNote || run.database.states[key] != nil else { return }
        run.tell("operator: \(intervention) \(device)")
        if intervention == .locksNote { owners[device] = .max } else { block(device, .max) }
        isIntervening = true
        switch intervention {
        case .locksState: lock(.state(key))
        case .locksDevice: lock(.device(key))
        case .keepsState: run.database.keptStates.insert(key)
        case .locksNote:
            let name = Note.kindNames[run.scheduler.dice.below(Note.kindNames.count)]
            lock(.note("\(name)/\(device)/\(run.scheduler.dice.below(3))"))
        }
        let end = run.scheduler.now + Int64(run.scheduler.dice.below(Int(time)))
        while run.mayBreak, run.scheduler.now < end, !run.scheduler.isOver {
            run.scheduler.wait(until: min(end, run.scheduler.now + 50_000_000))
        }
        run.database.keptStates.remove(key)
        if let transaction { run.database.rollBack(transaction) }
        transaction = nil
        isIntervening = false
        run.tell("operator: done")
        let now = run.scheduler.now
        if intervention == .locksNote { owners[device] = now } else { block(device, now) }
        run.scheduler.wakeAll()
    }

    /// Whoever writes one user's rows of a device needs those of the others.
    private func block(_ device: Int, _ time: Int64) {
        for key in run.keys(of: device) { devices[key] = time }
    }

    private func lock(_ key: LockKey) {
        while run.database.holder(of: key) != nil {
            guard run.mayBreak, !run.scheduler.isOver else { return }
            run.scheduler.wait(until: run.scheduler.now + 1_000_000)
        }
        let transaction = run.database.beginByOperator()
        self.transaction = transaction
        run.database.lock(key, for: transaction)
    }

    /// Whether a batch or unit may have met a blocked device or owner, or the memory of one.
    func concerns(_ content: Desk.Content, since: Int64) -> Bool {
        func isRecent(_ at: Int64?) -> Bool { at.map { $0 > since - Self.memory } ?? false }
        switch content {
        case .note(let note):
            return isRecent(owners[note.owner])
        case .batch(let parts):
            return parts.count == 0
                || parts.readings.contains { isRecent(devices[$0.reading.deviceKey]) }
                || parts.quarantined.contains { isRecent(devices[$0.deviceKey]) }
        }
    }
}
