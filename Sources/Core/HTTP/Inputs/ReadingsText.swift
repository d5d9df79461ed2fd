import JSONText
public import Readings

/// A body of `/ingest`, written by the translation of another format.
///
/// Members are written as they are given: the scanner judges them. A number that JSON does not have
/// costs its reading, as on `/ingest`.
public struct ReadingsText {
    private var bytes: [UInt8] = []
    private let isBare: Bool
    private var isOpen = false
    /// Readings begun so far.
    public private(set) var count = 0

    /// Bytes written so far.
    public var byteCount: Int { bytes.count }

    /// A body without envelope: each reading names its device and may name its user.
    public init() {
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: "["))
        isBare = true
    }

    /// - Parameters:
    ///   - device: of all readings that name no other; must have 1 to 128 characters.
    ///   - user: nil means the device id.
    public init(
        device: String, user: String? = nil, version: String? = nil, modelName: String? = nil
    ) {
        isBare = false
        bytes.reserveCapacity(256)
        bytes += "{\"metadata\":{\"device_id\":".utf8
        JSONString.append(device, to: &bytes)
        isOpen = true
        add("user_id", user)
        add("version", version)
        add("model_name", modelName)
        isOpen = false
        bytes += "},\"data\":[".utf8
    }

    /// Begins a reading; the members that follow are its.
    public mutating func begin(_ kind: ReadingKind) {
        end()
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += "{\"type\":\"".utf8
        bytes += kind.name.utf8
        bytes.append(UInt8(ascii: "\""))
        isOpen = true
        count += 1
    }

    /// Adds a text, such as `t` or `device_id`; nothing if it is nil.
    public mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        add(name)
        JSONString.append(text, to: &bytes)
    }

    /// Adds a number, such as `lat`, or `t` in seconds since 1970; nothing if it is nil.
    public mutating func add(_ name: StaticString, _ number: Double?) {
        guard let number else { return }
        add(name)
        bytes += Self.text(of: number).utf8
    }

    /// Adds a whole number, such as `code`; nothing if it is nil.
    public mutating func add(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        add(name)
        bytes += number.description.utf8
    }

    /// Adds a JSON text, such as an event's `metadata`.
    ///
    /// - Parameter append: appends one, which must be valid.
    public mutating func add(_ name: StaticString, json append: (inout [UInt8]) -> Void) {
        add(name)
        append(&bytes)
    }

    private mutating func add(_ name: StaticString) {
        precondition(isOpen, "BUG: a member of no reading")
        bytes += ",\"".utf8
        name.withUTF8Buffer { bytes += $0 }
        bytes += "\":".utf8
    }

    /// `NaN` and `Infinity` as Python writes them, which the scanner knows.
    private static func text(of number: Double) -> String {
        number.isNaN
            ? "NaN"
            : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : number.description
    }

    private mutating func end() {
        if isOpen { bytes.append(UInt8(ascii: "}")) }
        isOpen = false
    }

    /// The whole body.
    consuming func finished() -> [UInt8] {
        end()
        bytes += (isBare ? "]" : "]}").utf8
        return bytes
    }
}
