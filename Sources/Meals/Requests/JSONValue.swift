/// A JSON text as a tree.
enum JSONValue: Equatable {
    case null
    case bool(Bool)
    /// Not finite for a number that no double holds, and for `NaN` and `Infinity`, which some
    /// programs write: so that the fault is about the field, not about the text.
    case number(Double)
    case string(String)
    /// A string with U+0000 or half of a surrogate pair, which no database text can hold.
    case noText
    case array([JSONValue])
    case object(JSONObject)
}
