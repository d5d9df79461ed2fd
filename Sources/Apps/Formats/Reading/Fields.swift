import HTTP
import JSONText

/// The members of a JSON object, or the fields of a query or form, as a translation asks for them.
///
/// A key may appear twice. A translation then writes both values, and the scanner finds it, so that
/// none of them is silently lost.
struct Fields {
    let members: [JSONMember]

    init(_ members: [JSONMember]) {
        self.members = members
    }

    /// nil unless the value is an object.
    init?(_ value: JSONValue?) {
        guard case .object(let members) = value else { return nil }
        self.members = members
    }

    init(texts: [(name: String, value: String)]) {
        members = texts.map { JSONMember(key: $0.name, value: .string($0.value)) }
    }

    /// All values of a key, without null and empty texts, which apps write for what they don't know.
    func values(_ key: String) -> Values {
        var values = Values()
        // In place: members that are looked at are not copied.
        let members = members.span
        for place in members.indices where members[place].key == key {
            switch members[place].value {
            case .null: continue
            case .string(let text) where text.isEmpty: continue
            default: values.append(members[place].value)
            }
        }
        return values
    }

    /// The values of the first of two keys that has any.
    func values(_ key: String, or other: String) -> Values {
        let values = values(key)
        return values.isEmpty ? self.values(other) : values
    }

    func has(_ key: String) -> Bool { !values(key).isEmpty }

    /// The first text or number of a key, as text.
    func text(_ key: String) -> String? {
        values(key).lazy.compactMap(\.text).first
    }

    /// The first number of a key.
    func number(_ key: String) -> Double? {
        values(key).lazy.compactMap(\.number).first
    }

    /// The members of all objects of a key.
    func object(_ key: String) -> Fields {
        var found: Fields?
        for value in values(key) {
            guard let object = Fields(value) else { continue }
            found = found.map { Fields($0.members + object.members) } ?? object
        }
        return found ?? Fields([])
    }

    /// The elements of a key's array; nil if there is none.
    ///
    /// - Throws: if it is no array, or stands twice.
    func array(_ key: String) throws(RequestFailure) -> [JSONValue]? {
        let values = values(key)
        guard let first = values.first else { return nil }
        guard values.count == 1 else {
            throw .member([key], "Field stands twice", type: "duplicate_key")
        }
        guard case .array(let elements) = first else {
            throw .member([key], "Input should be an array", type: "list_type")
        }
        return elements
    }

    /// The elements of a key's arrays. A value that is no array counts as an element, which is then
    /// told like any other that is wrong.
    func elements(_ key: String) -> [JSONValue] {
        values(key).flatMap { value in
            if case .array(let elements) = value { elements } else { [value] }
        }
    }

    /// The object without some of its members.
    func without(_ keys: Set<String>) -> Fields {
        Fields(members.filter { !keys.contains($0.key) })
    }
}
