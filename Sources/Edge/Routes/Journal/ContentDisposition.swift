/// How a browser is told to show a file, and what to call it when it keeps it.
///
/// - Source: RFC 6266, section 4; RFC 8187 for `filename*`.
struct ContentDisposition: Sendable, Equatable {
    /// The value of the header field.
    let text: String

    /// - Parameters:
    ///   - isInline: shown where it stands; else offered for keeping.
    ///   - name: as a client has sent it, with any characters.
    init(isInline: Bool, name: String) {
        let plain = Self.plain(name)
        var text = "\(isInline ? "inline" : "attachment"); filename=\"\(plain)\""
        if plain != name { text += "; filename*=UTF-8''\(PathText.encoded(name))" }
        self.text = text
    }

    /// For clients that read no other: what would need quoting or is not ASCII is left out, and so is
    /// `%`, which some of them decode.
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
