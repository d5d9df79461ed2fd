import Ingest
import Postgres
import Readings

/// The statements of units, as PostgreSQL executes them: an upsert of notes that keeps the rules of
/// ``UnitKind``.
extension ModelSession {
    func record(
        _ kind: UnitKind, _ units: [ReceivedUnit], begins: Bool
    ) throws(PostgresError) -> [String] {
        let transaction = try transaction(begins: begins)
        try demandPrepared()
        var results: [String] = []
        for unit in units {
            let note = Note(kindName: kind.name, payload: unit.unit.payload)
            try lock(.note(note.key), transaction)
            if note.isBad { throw refused("23514") }
            let row = self.row(after: note, unit, transaction)
            results.append("\(row == nil ? "older" : "stored") \(note.number)")
            transaction.notes.append(NoteWrite(note: note, isLate: unit.isLate, row: row))
        }
        try travel()
        if run.sabotages(.swapsResults, once: 10) { results.reverse() }
        return results
    }

    /// - Returns: nil when the stored row stays.
    private func row(
        after note: Note, _ unit: ReceivedUnit, _ transaction: ModelTransaction
    ) -> NoteRow? {
        let stamp = unit.receivedAt.microseconds
        let known =
            transaction.notes.last { $0.note.key == note.key && $0.row != nil }?.row
            ?? database.notes[note.key]
        guard let known else { return NoteRow(note: note, stamp: stamp) }
        let isCompared = unit.isLate || run.sabotage == .trustsClocks
        if isCompared, known.stamp >= stamp, run.sabotage != .overwritesNewerUnits { return nil }
        return NoteRow(note: note, stamp: max(known.stamp, stamp))
    }

    func setAside(_ units: [ReceivedUnit], begins: Bool) throws(PostgresError) {
        let transaction = try transaction(begins: begins)
        try demandWritable()
        for unit in units {
            transaction.notesSetAside.append(
                Note(kindName: unit.unit.kind.name, payload: unit.unit.payload))
        }
        try travel()
    }

    private func transaction(begins: Bool) throws(PostgresError) -> ModelTransaction {
        precondition(
            destination == (run.shardTable == nil ? .database : .coordinator),
            "BUG: units to \(destination)")
        if begins {
            precondition(transaction == nil, "BUG: BEGIN in a transaction")
            guard isOpen else { throw lost() }
            transaction = database.begin(self)
        }
        try arrive()
        guard let transaction else { throw lost() }
        return transaction
    }
}
