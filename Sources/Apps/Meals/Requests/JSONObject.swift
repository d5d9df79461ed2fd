import JSONText

/// An object's members, and what a request may take from them: nil where a key is absent or null, a
/// fault that names the field where the value is of another kind.
struct JSONObject {
    /// Objects and arrays inside each other.
    static let depthMax = 16

    private let members: [JSONMember]
    /// Where it stands in the request: `items[2].`
    let path: String

    private init(_ members: [JSONMember], path: String = "") {
        self.members = members
        self.path = path
    }

    /// The body of a request.
    static func body(_ bytes: UnsafeRawBufferPointer) throws(MealFault) -> Self {
        var reader = JSONReader(
            bytes.bindMemory(to: UInt8.self), depthMax: depthMax, takesNonFinite: true)
        let value: JSONValue
        do throws(JSONFault) {
            value = try reader.readTree()
        } catch {
            throw .notJSON(offset: reader.index)
        }
        guard case .object(let members) = value else { throw .notObject(field: "body") }
        return Self(members)
    }

    func value(_ key: String) throws(MealFault) -> JSONValue? {
        var found: JSONValue?
        for member in members where member.key == key {
            guard found == nil else { throw .repeated(field: path + key) }
            found = member.value
        }
        return found == .null ? nil : found
    }

    func text(_ key: String) throws(MealFault) -> String? {
        switch try value(key) {
        case nil: return nil
        case .string(let text): return text
        case .noText: throw .notText(field: path + key)
        default: throw .notString(field: path + key)
        }
    }

    func number(_ key: String) throws(MealFault) -> Double? {
        switch try value(key) {
        case nil: return nil
        case .number(let number): return number
        default: throw .notNumber(field: path + key)
        }
    }

    func array(_ key: String) throws(MealFault) -> [JSONValue]? {
        switch try value(key) {
        case nil: return nil
        case .array(let elements): return elements
        default: throw .notArray(field: path + key)
        }
    }

    func object(_ key: String) throws(MealFault) -> JSONObject? {
        switch try value(key) {
        case nil: return nil
        case .object(let members): return Self(members, path: "\(path)\(key).")
        default: throw .notObject(field: path + key)
        }
    }

    /// An array of objects, each of which knows its place.
    func objects(_ key: String) throws(MealFault) -> [JSONObject]? {
        guard let elements = try array(key) else { return nil }
        var objects: [JSONObject] = []
        for (place, element) in elements.enumerated() {
            guard case .object(let members) = element else {
                throw .notObject(field: "\(path)\(key)[\(place)]")
            }
            objects.append(Self(members, path: "\(path)\(key)[\(place)]."))
        }
        return objects
    }
}
