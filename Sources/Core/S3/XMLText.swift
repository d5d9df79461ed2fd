/// The part of XML that S3's answers use: elements without attributes, and text.
struct XMLText {
    private let text: Substring

    init(_ text: some StringProtocol) { self.text = Substring(text) }

    /// The contents of every element with a name, in order. Nested elements of the same name are
    /// not supported.
    func elements(_ name: String) -> [XMLText] {
        var elements: [XMLText] = []
        var rest = text
        while let start = rest.firstRange(of: "<\(name)>"),
            let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
        {
            elements.append(XMLText(rest[start.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return elements
    }

    /// The text of the first element with a name, with its references resolved.
    func first(_ name: String) -> String? {
        guard let element = elements(name).first else { return nil }
        var resolved = ""
        var rest = element.text
        while let start = rest.firstIndex(of: "&") {
            resolved += rest[..<start]
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ";"), let character = Self.character(rest[..<end])
            else { return nil }
            resolved.unicodeScalars.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return resolved + rest
    }

    /// The character of a reference, by the text between `&` and `;`.
    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.first == "#" else { return nil }
            let isHexadecimal = name.dropFirst().first == "x"
            return UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
                .flatMap(Unicode.Scalar.init)
        }
    }

    /// The text with `&`, `<` and `>` written as references.
    static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }.joined()
    }
}
