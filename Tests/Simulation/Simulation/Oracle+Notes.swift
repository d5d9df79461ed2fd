import Ingest

/// The rules for units. No acknowledged unit is lost. None is invented. None is rejected without
/// its sender's knowledge. No row keeps an old version: one that was stored or acknowledged before
/// another version was sent, if that other version is acknowledged too.
extension Oracle {
    func sends(_ note: Note) {
        notes.sent.insert(note)
        notes.sentAt[note.number] = run.scheduler.now
    }

    func answered(_ note: Note, _ outcome: UnitOutcome, slot: Int) {
        switch outcome {
        case .committed, .spooled:
            notes.acknowledged.append(note)
            notes.happens(note, at: run.scheduler.now)
        default: break
        }
        switch outcome {
        case .committed(let result):
            if note.isBad { violation("recorded, though the model refuses it: \(note.payload)") }
            if !result.hasSuffix(" \(note.number)") {
                violation("note \(note.number) got another's answer: \(result)")
            }
            if !hasFailedOver, !isRecorded(note) {
                violation("recorded and not there: \(note.payload)")
            }
        case .spooled:
            notes.promised[slot].append(note)
        case .unavailable, .refused:
            break
        }
    }

    func willRecord(_ write: NoteWrite) {
        let note = write.note
        if !notes.sent.contains(note) { violation("invented: \(note.payload)") }
        if note.isBad { violation("the model recorded what it refuses") }
        if write.isLate { notes.late.insert(note.number) }
        notes.happens(note, at: run.scheduler.now)
    }

    func willSetAside(_ note: Note) {
        if !notes.sent.contains(note) { violation("invented and set aside: \(note.payload)") }
        if !note.isBad { violation("sound and set aside: \(note.payload)") }
    }

    /// Whether the note is stored, or another note of its id that need not be older. Clocks decide
    /// only where one of the two was late.
    func isRecorded(_ note: Note) -> Bool {
        guard let row = run.database.notes[note.key]?.note else { return false }
        guard row != note, let there = notes.happenedAt[row.number],
            let sent = notes.sentAt[note.number]
        else { return true }
        let isLate = notes.late.contains(row.number) || notes.late.contains(note.number)
        return there + (isLate ? run.clockDisagreement : 0) >= sent
    }

    private func isKept(_ note: Note) -> Bool {
        isRecorded(note) || run.database.notesSetAside.contains(note)
    }

    /// A process has opened its spool again.
    func checkNotes(slot: Int, spool: Set<Note>, mayLack: Bool) {
        let promised = notes.promised[slot]
        for note in promised where !isKept(note) && !spool.contains(note) && !mayLack {
            violation("promised, and neither recorded nor spooled: \(note.payload)")
        }
        notes.promised[slot] = promised.filter { spool.contains($0) && !isKept($0) }
        // The spool itself has reported that these are or may be lost.
        excuse(promised.filter { !isKept($0) && !spool.contains($0) })
        for note in spool.sorted(by: { $0.number < $1.number })
        where !notes.sent.contains(note) {
            violation("the spool invented \(note.payload)")
        }
    }

    /// Forgets notes that outside interference removed after they were promised; the operator has
    /// been told.
    func excuse(_ lost: [Note]) {
        let lost = Set(lost)
        guard !lost.isEmpty else { return }
        let left = notes.acknowledged.filter { !lost.contains($0) }
        notes.acknowledged = left
    }

    func checkLeft(_ spool: Set<Note>) {
        for note in spool.sorted(by: { $0.number < $1.number })
        where !notes.sent.contains(note) {
            return violation("left in a spool and invented: \(note.payload)")
        }
    }

    func checkNotesAtEnd() {
        for note in notes.promised.joined() where !isKept(note) {
            violation("spooled and never recorded: \(note.payload)")
        }
        for note in notes.acknowledged where !isKept(note) {
            violation("acknowledged, and an older one is there: \(note.payload)")
        }
    }

    /// The oracle's knowledge of units.
    struct Notes {
        var sent: Set<Note> = []
        /// By number, in nanoseconds of the run.
        var sentAt: [Int: Int64] = [:]
        /// When a note was first stored, or acknowledged if that was earlier.
        var happenedAt: [Int: Int64] = [:]
        /// Numbers of notes that came from the spool or were recorded again.
        var late: Set<Int> = []
        /// Answered as recorded or spooled.
        var acknowledged: [Note] = []
        /// Answered as spooled by the process of each slot, and not yet seen in the database.
        var promised: [[Note]]

        mutating func happens(_ note: Note, at time: Int64) {
            if happenedAt[note.number] == nil { happenedAt[note.number] = time }
        }
    }
}
