import JSONText
import Readings

/// Writes one JSON text from front to back and inserts the commas.
struct JSONWriter {
    private(set) var text: String
    private var needsComma = false

    init(capacity: Int = 512) {
        text = ""
        text.reserveCapacity(capacity)
    }

    /// The text of a whole object.
    static func object(_ write: (inout Self) -> Void) -> String {
        var json = Self()
        json.object(write)
        return json.text
    }

    mutating func object(_ write: (inout Self) -> Void) {
        open("{")
        write(&self)
        close("}")
    }

    mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout Self, Elements.Element) -> Void
    ) {
        open("[")
        for element in elements { write(&self, element) }
        close("]")
    }

    /// Writes a key. The caller must write its value next.
    mutating func key(_ key: StaticString) {
        separate()
        text += "\"\(key)\":"
        needsComma = false
    }

    mutating func null() { value("null") }

    /// Writes a value that is JSON already.
    mutating func raw(_ json: String) { value(json) }

    mutating func string(_ value: String) {
        separate()
        JSONString.append(value, to: &text)
        needsComma = true
    }

    mutating func field(_ key: StaticString, _ value: String?) {
        self.key(key)
        if let value { string(value) } else { null() }
    }

    mutating func field(_ key: StaticString, _ value: Int?) {
        self.key(key)
        self.value(value.map(String.init) ?? "null")
    }

    /// - Parameter value: must be finite.
    mutating func field(_ key: StaticString, _ value: Double?) {
        precondition(value?.isFinite != false, "BUG: no number for \(key)")
        self.key(key)
        self.value(value.map { "\($0)" } ?? "null")
    }

    mutating func field(_ key: StaticString, _ value: Bool) {
        self.key(key)
        self.value(value ? "true" : "false")
    }

    /// Writes the time to the second, as clients expect it.
    mutating func field(_ key: StaticString, _ value: Timestamp?) {
        field(key, value?.secondsText)
    }

    mutating func field(_ key: StaticString, strings: [String]) {
        self.key(key)
        array(strings) { $0.string($1) }
    }

    private mutating func value(_ json: String) {
        separate()
        text += json
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { text += "," }
    }

    private mutating func open(_ brace: String) {
        separate()
        text += brace
        needsComma = false
    }

    private mutating func close(_ brace: String) {
        text += brace
        needsComma = true
    }
}
