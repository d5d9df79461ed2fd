/// The text that PostgreSQL prints for a `jsonb` value.
///
/// Source: PostgreSQL 15 manual, section 8.14 ("JSON Types"): keys are sorted by length, then by
/// bytes, and the last of equal keys is kept; numbers are `numeric`.
struct JSONBText {
    let body: [UInt8]

    func text(of node: JSONNode) -> [UInt8] {
        switch node.content {
        case .null, .boolean: return Array(body[node.range])
        case .nonFinite: preconditionFailure("BUG: jsonb has no NaN")
        case .number: return DecimalText(body[node.range]).plain
        case .string(let text): return quoted(text)
        case .array(let elements):
            return [UInt8(ascii: "[")] + joined(elements.map(text(of:))) + [UInt8(ascii: "]")]
        case .object(let members):
            var kept: [[UInt8]: JSONNode] = [:]
            for member in members { kept[utf8(of: member.key)] = member.value }
            let sorted = kept.sorted { left, right in
                left.key.count == right.key.count
                    ? left.key.lexicographicallyPrecedes(right.key)
                    : left.key.count < right.key.count
            }
            let printed = sorted.map { quoted($0.key) + Array(": ".utf8) + text(of: $0.value) }
            return [UInt8(ascii: "{")] + joined(printed) + [UInt8(ascii: "}")]
        }
    }

    private func joined(_ parts: [[UInt8]]) -> [UInt8] {
        Array(parts.joined(separator: Array(", ".utf8)))
    }

    private func quoted(_ text: JSONText) -> [UInt8] {
        quoted(utf8(of: text))
    }

    private func quoted(_ utf8: [UInt8]) -> [UInt8] {
        var quoted = [UInt8(ascii: "\"")]
        for byte in utf8 {
            switch byte {
            case 0x08: quoted += Array("\\b".utf8)
            case 0x0C: quoted += Array("\\f".utf8)
            case 0x0A: quoted += Array("\\n".utf8)
            case 0x0D: quoted += Array("\\r".utf8)
            case 0x09: quoted += Array("\\t".utf8)
            case UInt8(ascii: "\""): quoted += Array("\\\"".utf8)
            case UInt8(ascii: "\\"): quoted += Array("\\\\".utf8)
            case ..<0x20:
                let hex = String(byte, radix: 16)
                quoted +=
                    Array("\\u".utf8) + Array(String(repeating: "0", count: 4 - hex.count).utf8)
                quoted += Array(hex.utf8)
            default: quoted.append(byte)
            }
        }
        return quoted + [UInt8(ascii: "\"")]
    }

    private func utf8(of text: JSONText) -> [UInt8] {
        guard let utf8 = text.utf8 else {
            preconditionFailure("BUG: jsonb text of an unpaired surrogate")
        }
        return utf8
    }
}
