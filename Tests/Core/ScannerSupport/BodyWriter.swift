/// Builds objects and arrays from values that are JSON text already, in one client's style.
struct BodyWriter {
    let style: BodyStyle
    var random: SeededGenerator

    /// A key without quotes and the JSON text of its value.
    typealias Field = (key: String, value: String)

    mutating func object(_ fields: [Field], level: Int = 0) -> String {
        var fields = fields
        switch style.order {
        case .asListed: break
        case .shuffled: fields.shuffle(using: &random)
        case .fixed(let salt):
            fields = fields.map { (rank: hash($0.key, salt: salt), field: $0) }
                .sorted { $0.rank < $1.rank }.map(\.field)
        }
        let members = fields.map { "\(key($0.key))\(gap())\(colon())\($0.value)" }
        return join(members, open: "{", close: "}", level: level)
    }

    mutating func array(_ elements: [String], level: Int = 0) -> String {
        join(elements, open: "[", close: "]", level: level)
    }

    /// White space that may stand between any two tokens.
    mutating func gap() -> String {
        guard case .random = style.space else { return "" }
        return (0..<random.below(4)).reduce(into: "") { text, _ in
            text += random.pick([" ", "\n", "\t", "\r"])
        }
    }

    private mutating func join(
        _ parts: [String], open: String, close: String, level: Int
    ) -> String {
        switch style.space {
        case .none: return open + parts.joined(separator: ",") + close
        case .narrow: return open + parts.joined(separator: ", ") + close
        case .indented:
            if parts.isEmpty { return open + close }
            let line = "\n" + String(repeating: "  ", count: level)
            return open + line + "  " + parts.joined(separator: ",\(line)  ") + line + close
        case .random:
            var text = open + gap()
            for (index, part) in parts.enumerated() {
                if index > 0 { text += gap() + "," + gap() }
                text += part
            }
            return text + gap() + close
        }
    }

    private mutating func colon() -> String {
        switch style.space {
        case .none: ":"
        case .narrow: ": "
        case .indented: random.once(in: 2) ? ": " : " : "
        case .random: ":" + gap()
        }
    }

    /// Sometimes with an equivalent escape.
    private mutating func key(_ key: String) -> String {
        guard random.once(in: 200), let first = key.unicodeScalars.first, first.value < 0x80,
            first != "\\"
        else { return "\"\(key)\"" }
        let hex = String(first.value, radix: 16)
        return "\"\\u00\(hex.count == 1 ? "0" : "")\(hex)\(key.dropFirst())\""
    }

    private func hash(_ key: String, salt: UInt64) -> UInt64 {
        var hasher = SeededGenerator(seed: key.utf8.reduce(salt) { $0 &* 31 &+ UInt64($1) })
        return hasher.next()
    }
}
