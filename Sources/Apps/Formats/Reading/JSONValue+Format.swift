import JSONText

extension JSONValue {
    /// A number, also one in a string, as clients write it where a number is expected.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .string(let text): Self.number(text)
        default: nil
        }
    }

    /// `Double` would take `nan`, `infinity` and hexadecimal digits, too.
    private static func number(_ text: String) -> Double? {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        return isPlain ? Double(text) : nil
    }

    /// A text, or a number as text.
    var text: String? {
        switch self {
        case .string(let text): text
        case .number(let number):
            Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        default: nil
        }
    }

    /// Appends the value as JSON. A number that JSON does not have becomes null, and a text that no
    /// database holds one that the scanner finds.
    func append(to json: inout [UInt8]) {
        switch self {
        case .null: json += "null".utf8
        case .bool(let value): json += (value ? "true" : "false").utf8
        case .number(let number): json += (number.isFinite ? text ?? "null" : "null").utf8
        case .string(let text): JSONString.append(text, to: &json)
        case .noText: json += #""\u0000""#.utf8
        case .array(let elements):
            json.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                element.append(to: &json)
            }
            json.append(UInt8(ascii: "]"))
        case .object(let members):
            json.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                JSONString.append(member.key, to: &json)
                json.append(UInt8(ascii: ":"))
                member.value.append(to: &json)
            }
            json.append(UInt8(ascii: "}"))
        }
    }

    /// The value as JSON.
    var json: [UInt8] {
        var json: [UInt8] = []
        append(to: &json)
        return json
    }
}
