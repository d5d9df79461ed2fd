import Encodings

/// `Content-Disposition`: whether a browser shows or saves a file, and the name for saving.
///
/// - Source: RFC 6266, section 4; RFC 8187 for `filename*`.
struct ContentDisposition: Sendable, Equatable {
    /// The value of the header field.
    let text: String

    /// - Parameters:
    ///   - isInline: shown in place; otherwise offered for saving.
    ///   - name: as sent by a client, with any characters.
    init(isInline: Bool, name: String) {
        let plain = Self.plain(name)
        var text = "\(isInline ? "inline" : "attachment"); filename=\"\(plain)\""
        if plain != name { text += "; filename*=UTF-8''\(PercentEncoding.encoded(name))" }
        self.text = text
    }

    /// The name for clients that don't know `filename*`. Characters that need quoting, are not
    /// ASCII, or are `%`, which some clients decode, are replaced by `_`.
    private static func plain(_ name: String) -> String {
        var plain = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"", "\\", "%": plain += "_"
            case " "..."~": plain.unicodeScalars.append(scalar)
            default: plain += "_"
            }
        }
        return plain
    }
}
