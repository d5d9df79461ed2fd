import Ingestion
import Postgres

/// The statements of units, as PostgreSQL executes them: an upsert of notes that keeps the newest.
extension ModelSession {
    func record(
        _ kind: UnitKind, _ payloads: [String], begins: Bool
    ) throws(PostgresError) -> [String] {
        let transaction = try transaction(begins: begins)
        try demandWritable()
        var results: [String] = []
        for payload in payloads {
            let note = Note(kindName: kind.name, payload: payload)
            try lock(.note(note.key), transaction)
            if note.isBad { throw refused("23514") }
            let row = transaction.notes.last { $0.key == note.key } ?? database.notes[note.key]
            let isOlder = row.map { note.isOlder(than: $0) } ?? false
            results.append("\(isOlder ? "older" : "stored") \(note.number)")
            transaction.notes.append(note)
        }
        try travel()
        if run.sabotages(.swapsResults, once: 10) { results.reverse() }
        return results
    }

    func setAside(_ units: [GroupUnit], begins: Bool) throws(PostgresError) {
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
            transaction = database.begin()
        }
        try arrive()
        guard let transaction else { throw lost() }
        return transaction
    }
}
