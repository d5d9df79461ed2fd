import Encodings

/// A header value with parameters: `form-data; name="a"; filename*=UTF-8''b`.
///
/// - Source: RFC 9110, section 5.6.6; RFC 8187 for `*`. For escapes in file names: the WHATWG HTML
///   standard's multipart/form-data encoding (only `%22`, `%0D` and `%0A`), and RFC 9110's `\"` and
///   `\\`. Any other backslash is a plain character, because browsers send file names with
///   unescaped backslashes.
struct ParameterizedValue {
    /// The text before the first semicolon, in lower case.
    let value: String
    /// Names are in lower case. Of a repeated name, the first value counts.
    private(set) var parameters: [(name: String, value: String)] = []

    /// - Returns: nil when the syntax is invalid.
    init?(_ bytes: [UInt8]) {
        let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
        let essence = Self.trimmed(bytes[..<end])
        guard !essence.isEmpty, essence.allSatisfy({ Self.isToken($0) || $0 == UInt8(ascii: "/") })
        else { return nil }
        value = String(decoding: essence, as: UTF8.self).lowercased()
        var rest = bytes[end...]
        while !rest.isEmpty {
            rest.removeFirst()  // the semicolon
            rest = rest.drop(while: Self.isSpace)
            if rest.isEmpty { return }
            if rest.first == UInt8(ascii: ";") { continue }
            guard let parameter = Self.parameter(&rest) else { return nil }
            if self[parameter.name] == nil { parameters.append(parameter) }
            guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        }
    }

    /// The parameter with a name, unquoted.
    subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The decoded parameter `name*` if there is one, otherwise `name`.
    ///
    /// - Returns: nil when there is neither, or when `name*` can't be decoded.
    func text(_ name: String) -> String? {
        if let extended = self[name + "*"] { return Self.extended(extended) }
        return self[name]
    }

    private static func parameter(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: String)?
    {
        let name = rest.prefix(while: isToken)
        rest = rest.dropFirst(name.count).drop(while: isSpace)
        guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop(while: isSpace)
        let text: [UInt8]
        if rest.first == UInt8(ascii: "\"") {
            guard let quoted = quoted(&rest) else { return nil }
            text = quoted
        } else {
            // More characters than a token allows, because clients send unquoted paths and e-mail
            // addresses.
            let plain = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(plain.count)
            text = Array(trimmed(plain))
        }
        rest = rest.drop(while: isSpace)
        return (
            String(decoding: name, as: UTF8.self).lowercased(),
            String(decoding: text, as: UTF8.self)
        )
    }

    /// Takes the quoted string at the start of `rest`.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        // A file name that ends in a backslash is sent unescaped; then there is no closing quote
        // left.
        for readsBackslash in [true, false] {
            var text: [UInt8] = []
            var place = rest.startIndex + 1
            while place < rest.endIndex {
                switch rest[place] {
                case UInt8(ascii: "\""):
                    rest = rest[(place + 1)...]
                    return text
                case UInt8(ascii: "\\")
                where readsBackslash && place + 1 < rest.endIndex
                    && (rest[place + 1] == UInt8(ascii: "\"")
                        || rest[place + 1] == UInt8(ascii: "\\")):
                    text.append(rest[place + 1])
                    place += 2
                case UInt8(ascii: "%"):
                    let escape = escaped(rest[place...].dropFirst().prefix(2))
                    text.append(escape ?? UInt8(ascii: "%"))
                    place += escape == nil ? 1 : 3
                case let byte:
                    text.append(byte)
                    place += 1
                }
            }
        }
        return nil
    }

    /// The three characters that browsers escape in names.
    private static func escaped(_ digits: ArraySlice<UInt8>) -> UInt8? {
        switch String(decoding: digits, as: UTF8.self).uppercased() {
        case "22": UInt8(ascii: "\"")
        case "0D": UInt8(ascii: "\r")
        case "0A": UInt8(ascii: "\n")
        default: nil
        }
    }

    /// `UTF-8'en'%e2%82%ac`, in UTF-8 or ISO 8859-1.
    private static func extended(_ text: String) -> String? {
        let pieces = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, let bytes = PercentEncoding.decoded(pieces[2]) else { return nil }
        switch pieces[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
