import Ingestion

/// What must be true of units: none that was acknowledged is lost, none is invented, none is refused
/// behind its sender's back, and of each id the newest version is there.
extension Oracle {
    func sends(_ note: Note) { notes.sent.insert(note) }

    func answered(_ note: Note, _ outcome: CommitOutcome, slot: Int) {
        switch outcome {
        case .recorded(let result):
            if note.isBad { violation("recorded, though the model refuses it: \(note.payload)") }
            if !result.hasSuffix(" \(note.number)") {
                violation("note \(note.number) got another's answer: \(result)")
            }
            if !isRecorded(note) { violation("recorded and not there: \(note.payload)") }
        case .spooled:
            notes.promised[slot].append(note)
        case .unavailable, .refused:
            break
        case .committed:
            violation("a unit was answered as a batch")
        }
    }

    func willRecord(_ note: Note) {
        if !notes.sent.contains(note) { violation("invented: \(note.payload)") }
        if note.isBad { violation("the model recorded what it refuses") }
        if let newest = notes.newest[note.key], note.isOlder(than: newest) { return }
        notes.newest[note.key] = note
    }

    func willSetAside(_ note: Note) {
        if !notes.sent.contains(note) { violation("invented and set aside: \(note.payload)") }
        let isUnknown = run.scenario.forgetsKinds && note.kindName == Note.kindNames[1]
        if !note.isBad, !isUnknown { violation("sound and set aside: \(note.payload)") }
    }

    /// It is there, or a newer one of its id is.
    private func isRecorded(_ note: Note) -> Bool {
        guard let row = run.database.notes[note.key] else { return false }
        return !row.isOlder(than: note)
    }

    private func isKept(_ note: Note) -> Bool {
        isRecorded(note) || run.database.notesSetAside.contains(note)
    }

    /// A process has opened its spool again.
    func checkNotes(slot: Int, spool: Set<Note>) {
        for note in notes.promised[slot] where !isKept(note) && !spool.contains(note) {
            violation("promised, and neither recorded nor spooled: \(note.payload)")
        }
        for note in spool.sorted(by: { $0.number < $1.number })
        where !notes.sent.contains(note) {
            violation("the spool invented \(note.payload)")
        }
        notes.promised[slot].removeAll { isKept($0) }
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
        for (key, newest) in notes.newest.sorted(by: { $0.key < $1.key })
        where run.database.notes[key] != newest {
            violation("of \(key) not the newest is there: \(newest.payload)")
        }
    }

    /// What the oracle knows of units.
    struct Notes {
        var sent: Set<Note> = []
        /// Of each id, of all that were recorded.
        var newest: [String: Note] = [:]
        /// Answered as spooled by the process of each slot, and not seen in the database since.
        var promised: [[Note]]
    }
}
