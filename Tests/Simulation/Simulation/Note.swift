import Ingest

/// A unit of work of the simulation's clients. Of the notes with one id, the last one acknowledged
/// counts.
struct Note: Hashable {
    let kindName: String
    let owner: Int
    let id: Int
    /// Unique among all notes.
    let number: Int
    /// The model's constraint refuses it.
    let isBad: Bool

    /// The id that this note is a version of.
    var key: String { "\(kindName)/\(owner)/\(id)" }

    var payload: String { "\(owner) \(id) \(number) \(isBad)" }

    init(kindName: String, owner: Int, id: Int, number: Int, isBad: Bool) {
        self.kindName = kindName
        self.owner = owner
        self.id = id
        self.number = number
        self.isBad = isBad
    }

    init(kindName: String, payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 4, let owner = Int(parts[0]), let id = Int(parts[1]),
            let number = Int(parts[2]), let isBad = Bool(String(parts[3]))
        else { preconditionFailure("BUG: no note: \(payload)") }
        self.init(
            kindName: kindName, owner: owner, id: id, number: number, isBad: isBad)
    }

    var unit: WorkUnit {
        WorkUnit(kind: Self.kind(kindName), owner: "owner \(owner)", payload: payload)
    }

    static let kindNames = ["letter", cardName, "memo"]
    /// Units of this kind do not wait in the spool.
    private static let cardName = "card"

    static func kind(_ name: String) -> UnitKind {
        UnitKind(
            name: name, statement: "SELECT place, result FROM store_\(name)($1, $2, $3)",
            mayWaitInSpool: name != cardName)
    }
}

/// The row that the database stores for all notes of one id.
struct NoteRow {
    let note: Note
    /// The newest stamp of all notes that this row has held.
    let stamp: Int64
}

/// A transaction's write of a note.
struct NoteWrite {
    let note: Note
    let isLate: Bool
    /// nil: the stored row stays.
    let row: NoteRow?
}
