import Ingest
import Readings
import Scanner
import SpoolLog

/// Knows what was sent and what was promised, and compares it with what is stored.
///
/// It checks at each commit that nothing is stored twice and nothing is invented. It checks the
/// promise of a 200 when it is answered, and the promise of a 202 whenever a spool is opened again,
/// and at the end.
final class Oracle {
    unowned(unsafe) let run: Run
    /// The violations found; the first one ends the run.
    private(set) var violations: [String] = []

    /// Everything that was ever sent.
    private var sent: Set<Reading> = []
    private var sentToQuarantine: Set<Quarantined> = []
    private var refused: [Quarantined: Reading] = [:]
    /// Answered with 202 by the process of each slot, and not yet seen in the database.
    private var promised: [[Parts]]
    /// Knowledge of units.
    var notes: Notes
    /// When the process of a slot last started.
    private var startedAt: [Int: Int64] = [:]
    /// When the directory of a slot's spool was last removed. The files that hold earlier offers
    /// can't be found again.
    private var removedAt: [Int: Int64] = [:]
    /// Whether the spool may report that it can't read what it promised.
    var mayLoseSpool: Bool { !removedAt.isEmpty }
    /// Answered with 200 or 202; kept because a failover may undo rows that were seen as stored.
    private var acknowledged: [Parts] = []
    /// Keys that belong to more than one device.
    var clashing: Set<Int64> = []
    /// The devices, by `key_check`, that have sent a reading under such a key.
    private var senders: [Reading: Set<Int64>] = [:]

    private(set) var answers = 0
    private(set) var storedAnswers = 0
    private(set) var spooledAnswers = 0
    private(set) var slowestAnswer: Int64 = 0
    /// Readings that answers and spools reported as stored.
    private(set) var storedReadings = 0
    /// Something may have been stored that no answer counted.
    var isCountInexact = false

    init(_ run: Run, slots: Int) {
        self.run = run
        promised = [[Parts]](repeating: [], count: slots)
        notes = Notes(promised: [[Note]](repeating: [], count: slots))
    }

    func violation(_ text: String) {
        violations.append(text)
        run.tell("VIOLATION: \(text)")
        run.scheduler.giveUp(text)
    }

    // MARK: Clients

    func sends(_ parts: Parts) {
        for part in parts.readings {
            sent.insert(part.reading)
            for row in part.refused { refused[row] = part.reading }
            if clashing.contains(part.reading.deviceKey) {
                senders[part.reading, default: []].insert(part.check)
            }
        }
        sentToQuarantine.formUnion(parts.quarantined)
    }

    func answered(_ offer: Desk.Pending, _ answer: Desk.Answer, slot: Int) {
        answers += 1
        let time = run.scheduler.now - offer.since
        slowestAnswer = max(slowestAnswer, time)
        if time > run.scenario.answerTimeMax {
            violation("an answer took \(time / 1_000_000) ms: \(answer)")
        }
        checkOthers(offer, answer, time, slot: slot)
        if answer.isSpooled, let removedAt = removedAt[slot], offer.since <= removedAt {
            isCountInexact = true
            return
        }
        switch (offer.content, answer) {
        case (.batch(let parts), .batch(let outcome)): answered(parts, outcome, slot: slot)
        case (.note(let note), .note(let outcome)): answered(note, outcome, slot: slot)
        case (.batch, .note), (.note, .batch): violation("the answer of another: \(answer)")
        }
    }

    /// An operator who blocks one device or owner must not delay others.
    private func checkOthers(
        _ offer: Desk.Pending, _ answer: Desk.Answer, _ time: Int64, slot: Int
    ) {
        // Lanes connect during the first second of a process.
        guard let timeMax = run.scenario.othersTimeMax, run.mayBreak,
            offer.since > startedAt[slot, default: 0] + 1_000_000_000,
            !run.operators.concerns(offer.content, since: offer.since)
        else { return }
        if time > timeMax {
            violation("another waited for a blocked one, for \(time / 1_000_000) ms: \(answer)")
        }
        switch answer {
        case .batch(.committed), .batch(.refused), .note(.committed), .note(.refused): break
        default: violation("another was not stored: \(answer)")
        }
    }

    /// After a failover, acknowledged commits may exist only in the memory of a process.
    var hasFailedOver: Bool { run.database.history > 0 }

    private func answered(_ parts: Parts, _ outcome: BatchOutcome, slot: Int) {
        switch outcome {
        case .committed(let counts):
            storedAnswers += 1
            storedReadings += counts.stored
            if counts.count != parts.count {
                violation("\(parts.count) readings were answered as \(outcome)")
            }
            if run.scenario.standbys > 0 { acknowledged.append(parts) }
            if !hasFailedOver, let missing = missing(parts) {
                violation("200 for what is not stored: \(missing)")
            }
        case .spooled:
            spooledAnswers += 1
            isCountInexact = true
            promised[slot].append(parts)
            if run.scenario.standbys > 0 { acknowledged.append(parts) }
        case .unavailable, .refused:
            isCountInexact = true
        }
    }

    // MARK: The database

    func willStore(_ reading: Reading, isThere: Bool) {
        if isThere { violation("stored twice: \(describe(reading))") }
        if !sent.contains(reading) { violation("invented: \(describe(reading))") }
        if reading.isPoison { violation("the model stored what it refuses") }
        if clashing.contains(reading.deviceKey), !owners(reading, own: true) {
            violation("stored under another's key: \(describe(reading))")
        }
    }

    func willQuarantine(_ row: Quarantined) {
        if sentToQuarantine.contains(row) { return }
        guard let reading = refused[row] else { return violation("invented in quarantine") }
        let wasOut = run.database.daysOut.ever.contains(Timestamp(microseconds: reading.time).day)
        if !reading.isPoison, !owners(reading, own: false), !wasOut {
            violation("sound and in quarantine: \(describe(reading))")
        }
    }

    /// Whether the owner of the reading's key has sent it (`own`), or whether another device has.
    private func owners(_ reading: Reading, own: Bool) -> Bool {
        let owner = run.database.states[reading.deviceKey]?.keyCheck
        return senders[reading, default: []].contains { ($0 == owner) == own }
    }

    /// The last attributes of each device, and their time. Two batches may have the same time.
    struct Sayings {
        private(set) var last: [Int64: (at: Int64, versions: Set<String>)] = [:]

        mutating func hear(_ saying: Saying) {
            let known = last[saying.deviceKey]
            if let known, known.at > saying.at { return }
            let before = known?.at == saying.at ? known?.versions ?? [] : []
            last[saying.deviceKey] = (saying.at, before.union([saying.version]))
        }
    }

    /// Compares a device's row in `device` with the last attributes that it sent.
    private func checkSaying(of device: Int64) {
        guard let said = run.database.sayings.last[device] else { return }
        let version = run.database.devices[device]?.version
        if version.map({ said.versions.contains($0) }) != true {
            violation("device \(device) has version \(version ?? "none"), said \(said.versions)")
        }
    }

    /// Compares a device's row in `device` with its key, which says whose its readings are, and
    /// with those of its id's other users.
    private func checkUser(of device: Int64, _ state: DeviceState) {
        guard let row = run.database.devices[device], row.deviceID != ModelDatabase.occupied else {
            return
        }
        if DeviceKey(of: row.deviceID, user: row.userID).value != device {
            violation("device \(row.deviceID) of \(device) is said to be \(row.userID)'s")
        }
        let keys = Set(run.database.keys[row.deviceID] ?? [])
        if Set(state.family).union([device]) != keys {
            violation("device \(device) knows \(state.family), of its id are \(keys)")
        }
    }

    /// Compares a device's row in `device_state` with its stored rows.
    func check(device: Int64) {
        guard let state = run.database.states[device] else { return }
        checkUser(of: device, state)
        var count = 0
        for kind in ReadingKind.allCases {
            let rows = run.database.readings(kind, of: device)
            count += rows.count
            let newest = rows.map(\.time).max() ?? .min
            let watermark = state.watermarks[kind]
            if watermark != newest {
                violation("watermark \(watermark), newest \(newest) of \(kind.name)")
            }
        }
        if state.readings != Int64(count) {
            violation("device_state.readings is \(state.readings) with \(count) rows")
        }
        checkSaying(of: device)
    }

    /// Under whichever user it came first.
    private func isThere(
        _ reading: Reading, _ refused: [Quarantined], _ content: Content
    ) -> Bool {
        run.database.rows.contains(reading) || run.database.contents.contains(content)
            || refused.contains { run.database.quarantine.contains($0) }
    }

    /// The first reading that is not in the database.
    private func missing(_ parts: Parts) -> String? {
        for part in parts.readings where !isThere(part.reading, part.refused, part.content) {
            return describe(part.reading)
        }
        for row in parts.quarantined where !run.database.quarantine.contains(row) {
            return "quarantined \(String(decoding: row.body, as: UTF8.self))"
        }
        return nil
    }

    private func describe(_ reading: Reading) -> String {
        "\(reading.kind.name) of \(reading.deviceKey) at \(reading.time)"
    }

    func processStarts(slot: Int) { startedAt[slot] = run.scheduler.now }

    // MARK: The spool

    func directoryIsRemoved(slot: Int) {
        removedAt[slot] = run.scheduler.now
        isCountInexact = true
        excuse(slot: slot)
    }

    /// Forgets what this spool has promised so far.
    func excuse(slot: Int) {
        promised[slot] = []
        excuse(notes.promised[slot].filter { !isRecorded($0) })
        notes.promised[slot] = []
    }

    /// A process has opened its spool again: everything that its predecessor promised must be in
    /// the spool or stored.
    ///
    /// - Parameter mayLack: the spool itself reports that something is or may be lost.
    func check(slot: Int, spool: borrowing SpoolContents, mayLack: Bool) {
        var kept: [Parts] = []
        for parts in promised[slot] {
            let lack = lack(of: parts, in: spool)
            if let lack, !mayLack { violation(lack) }
            if lack == nil, missing(parts) != nil { kept.append(parts) }
        }
        promised[slot] = kept
        for reading in spool.readings where !sent.contains(reading) {
            violation("the spool invented \(describe(reading))")
        }
        checkNotes(slot: slot, spool: spool.notes, mayLack: mayLack)
    }

    private func lack(of parts: Parts, in spool: borrowing SpoolContents) -> String? {
        for part in parts.readings
        where !isThere(part.reading, part.refused, part.content)
            && !spool.readings.contains(part.reading)
        {
            return "promised, and neither stored nor spooled: \(describe(part.reading))"
        }
        for row in parts.quarantined
        where !run.database.quarantine.contains(row) && !spool.quarantined.contains(row) {
            return "promised to quarantine, and neither there nor spooled"
        }
        return nil
    }

    /// Checks a file that could not be removed and still has records at the end. They are stored
    /// already, or were never promised because their sync failed. Promised readings are looked up
    /// in the database.
    func checkLeft(_ spool: borrowing SpoolContents) {
        checkLeft(spool.notes)
        for reading in spool.readings where !sent.contains(reading) {
            return violation("left in a spool and invented: \(describe(reading))")
        }
    }

    func spoolStored(_ readings: Int) { storedReadings += readings }

    // MARK: The end

    /// Called when all faults are over, all offers are answered and all spools are empty.
    func checkAtEnd() {
        for parts in promised.joined() {
            if let missing = missing(parts) { violation("202 and never stored: \(missing)") }
        }
        for parts in acknowledged {
            if let missing = missing(parts) {
                violation("acknowledged, and gone with a failover: \(missing)")
            }
        }
        checkNotesAtEnd()
        for key in run.database.states.keys.sorted() { check(device: key) }
        let rows = run.database.rows.count
        guard run.database.commitsInDoubt == 0 else { return }
        if isCountInexact ? storedReadings > rows : storedReadings != rows {
            violation("answers tell of \(storedReadings) stored readings, there are \(rows)")
        }
    }
}
