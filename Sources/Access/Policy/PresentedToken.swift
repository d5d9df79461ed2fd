/// Where a request may carry what it shows.
public enum PresentedToken {
    /// The token of a request: the bearer token (RFC 6750, section 2.1), else the API key, else the
    /// one in the query.
    ///
    /// - Parameters:
    ///   - authorization: the value of `Authorization`.
    ///   - apiKey: the value of `X-API-Key`.
    ///   - query: the query of the request target, for those who can't set a header: browsers that
    ///     open a WebSocket. URLs get into logs and histories, so other requests should not ask here.
    /// - Returns: what was shown, be it no token at all; nil: nothing was.
    public static func read(
        authorization: String?, apiKey: String? = nil, query: String? = nil
    ) -> String? {
        bearer(authorization) ?? apiKey.flatMap { $0.isEmpty ? nil : $0 }
            ?? query.flatMap(inQuery)
    }

    private static func bearer(_ field: String?) -> String? {
        guard let field, let space = field.firstIndex(of: " "),
            field[..<space].lowercased() == "bearer"
        else { return nil }
        let token = field[space...].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }

    private static func inQuery(_ query: String) -> String? {
        for field in query.split(separator: "&") where field.hasPrefix("token=") {
            let text = field.dropFirst("token=".count)
            return text.isEmpty ? nil : percentDecoded(text.utf8) ?? String(text)
        }
        return nil
    }

    private static func percentDecoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
