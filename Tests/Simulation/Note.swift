import Ingestion

/// A unit of work as clients of the simulation send them: the newest of an id is what counts.
struct Note: Hashable {
    let kindName: String
    let owner: Int
    let id: Int
    /// When it came in, as its payload says.
    let at: Int64
    /// No other note's.
    let number: Int
    /// Refused by the model's constraint.
    let isBad: Bool

    /// What it is a version of.
    var key: String { "\(kindName)/\(owner)/\(id)" }

    var payload: String { "\(owner) \(id) \(at) \(number) \(isBad)" }

    init(kindName: String, owner: Int, id: Int, at: Int64, number: Int, isBad: Bool) {
        self.kindName = kindName
        self.owner = owner
        self.id = id
        self.at = at
        self.number = number
        self.isBad = isBad
    }

    init(kindName: String, payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 5, let owner = Int(parts[0]), let id = Int(parts[1]),
            let at = Int64(parts[2]), let number = Int(parts[3]), let isBad = Bool(String(parts[4]))
        else { preconditionFailure("BUG: no note: \(payload)") }
        self.init(
            kindName: kindName, owner: owner, id: id, at: at, number: number, isBad: isBad)
    }

    /// Whether a row with `other` in it must not be overwritten with this one.
    func isOlder(than other: Note) -> Bool { (at, number) < (other.at, other.number) }

    var unit: WorkUnit {
        WorkUnit(kind: Self.kind(kindName), owner: "owner \(owner)", payload: payload)
    }

    static let kindNames = ["letter", "memo"]

    static func kind(_ name: String) -> UnitKind {
        UnitKind(name: name, statement: "SELECT place, result FROM store_\(name)($1)")
    }
}
