import Readings
import Scanning

/// An object's members, and what a request may take from them: nil where a key is absent or null, a
/// fault that names the field where the value is of another kind.
struct JSONObject: Equatable {
    typealias Member = (key: String, value: JSONValue)

    private let members: [Member]
    /// Where it stands in the request: `items[2].`
    var path = ""

    init(_ members: [Member], path: String = "") {
        self.members = members
        self.path = path
    }

    static func == (left: Self, right: Self) -> Bool {
        left.members.elementsEqual(right.members, by: ==)
    }

    /// The body of a request.
    static func body(_ bytes: UnsafeRawBufferPointer) throws(MealFault) -> Self {
        guard case .object(let object) = try JSONReader.value(bytes) else {
            throw .notObject(field: "body")
        }
        return object
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
        case .object(var object):
            object.path = "\(path)\(key)."
            return object
        default: throw .notObject(field: path + key)
        }
    }

    /// An array of objects, each of which knows its place.
    func objects(_ key: String) throws(MealFault) -> [JSONObject]? {
        guard let elements = try array(key) else { return nil }
        var objects: [JSONObject] = []
        for (place, element) in elements.enumerated() {
            guard case .object(var object) = element else {
                throw .notObject(field: "\(path)\(key)[\(place)]")
            }
            object.path = "\(path)\(key)[\(place)]."
            objects.append(object)
        }
        return objects
    }
}
