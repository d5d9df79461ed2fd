import Ingestion

/// A unit of work as clients of the simulation send them: of an id the last to be acknowledged counts.
struct Note: Hashable {
    let kindName: String
    let owner: Int
    let id: Int
    /// No other note's.
    let number: Int
    /// Refused by the model's constraint.
    let isBad: Bool

    /// What it is a version of.
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

    static let kindNames = ["letter", "memo"]

    static func kind(_ name: String) -> UnitKind {
        UnitKind(name: name, statement: "SELECT place, result FROM store_\(name)($1, $2, $3)")
    }
}

/// What stands in the database of all notes of one id.
struct NoteRow {
    let note: Note
    /// The newest stamp of all that stood here.
    let stamp: Int64
}

/// What a transaction does with a note.
struct NoteWrite {
    let note: Note
    let isLate: Bool
    /// nil: what stands there stays.
    let row: NoteRow?
}
