/// Where a request may carry a token or key.
public enum PresentedToken {
    /// Reads the token of a request: the bearer token (RFC 6750, section 2.1), else the API key,
    /// else the token in the query.
    ///
    /// - Parameters:
    ///   - authorization: the value of `Authorization`; repeated fields joined by commas.
    ///   - apiKey: the value of `X-API-Key`; in the same way.
    /// - query: the query of the request target, for browsers that open a WebSocket and can't set a
    ///   header. URLs get into logs and histories, so other requests should not pass it.
    /// - Returns: the presented text, even if it is not a valid token; empty if only something else
    ///   was presented, such as another scheme or an empty key; nil: nothing was presented.
    public static func read(
        authorization: String?, apiKey: String? = nil, query: String? = nil
    ) -> String? {
        let inQuery = query.flatMap(inQuery)
        let presented = [authorization.map { bearer($0) ?? "" }, apiKey, inQuery].compactMap { $0 }
        return presented.first { !$0.isEmpty } ?? presented.first
    }

    /// The key or token in `Authorization`: a bearer token, or the password of Basic authentication,
    /// since some apps can set nothing else. nil: something else, or an empty one.
    public static func inAuthorization(_ field: String) -> String? {
        let presented = bearer(field) ?? BasicCredentials(authorization: field)?.password
        return presented.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func bearer(_ field: String) -> String? {
        guard let space = field.firstIndex(of: " "),
            field[..<space].lowercased() == "bearer"
        else { return nil }
        return String(field[space...].drop { $0 == " " })
    }

    private static func inQuery(_ query: String) -> String? {
        for field in query.split(separator: "&") where field.hasPrefix("token=") {
            let text = field.dropFirst("token=".count)
            return percentDecoded(text.utf8) ?? String(text)
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
