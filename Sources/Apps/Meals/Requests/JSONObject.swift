import JSONText

/// The members of a JSON object, read by type. A read returns nil if the key is absent or null, and
/// throws a fault that names the field if the value has another type.
struct JSONObject {
    /// Levels of nested objects and arrays.
    static let depthMax = 16

    private let members: [JSONMember]
    /// The object's path in the request, such as `items[2].`; empty for the body.
    let path: String

    private init(_ members: [JSONMember], path: String = "") {
        self.members = members
        self.path = path
    }

    /// Parses the body of a request, which must be an object.
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

    /// An array of objects, each with its path.
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
