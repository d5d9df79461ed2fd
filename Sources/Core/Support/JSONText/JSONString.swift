/// Writes texts as JSON strings with quotes (RFC 8259, section 7): the only place that escapes
/// them.
///
/// The form is that of PostgreSQL's `jsonb`: short escapes where they exist, `\u00XX` for other
/// control characters, everything else unchanged.
public enum JSONString {
    /// - Parameter text: UTF-8; must stay valid during the call.
    public static func append(_ text: UnsafeRawBufferPointer, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        if text.allSatisfy(isPlain) {
            json += text
        } else {
            appendEscaped(text, to: &json)
        }
        json.append(UInt8(ascii: "\""))
    }

    /// The same, appended to bytes.
    public static func append(_ text: String, to json: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &json) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ text: UnsafeRawBufferPointer, to json: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
            case 0x08: json += "\\b".utf8
            case 0x09: json += "\\t".utf8
            case 0x0A: json += "\\n".utf8
            case 0x0C: json += "\\f".utf8
            case 0x0D: json += "\\r".utf8
            case 0..<0x20:
                json += "\\u00".utf8
                json.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
                json += String(byte & 15, radix: 16).utf8
            default: json.append(byte)
            }
        }
    }

    /// The same, appended to a string.
    public static func append(_ text: String, to json: inout String) {
        if text.utf8.allSatisfy(isPlain) {
            json += "\""
            json += text
            json += "\""
        } else {
            var bytes: [UInt8] = []
            append(text, to: &bytes)
            json += String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The text as a JSON string.
    public static func quoted(_ text: String) -> String {
        var json = ""
        append(text, to: &json)
        return json
    }
}
