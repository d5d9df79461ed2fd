import Captures

/// What stands between two slashes of a path.
enum PathText {
    /// Percent-decoded (RFC 3986, section 2.1).
    ///
    /// - Returns: nil for what is not UTF-8 or is wrongly encoded.
    static func decoded(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
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

    /// As one component of a path: every byte but letters, digits and `-._~` as `%XX`.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "0"..."9", "A"..."Z", "a"..."z", "-", ".", "_", "~":
                encoded.unicodeScalars.append(scalar)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }

    static func user(_ text: some StringProtocol) throws(RouteFailure) -> String {
        guard let user = decoded(text), Capture.isUserID(user) else { throw .userInvalid }
        return user
    }

    static func captureID(_ text: some StringProtocol) throws(RouteFailure) -> String {
        guard let id = decoded(text), Capture.isID(id) else { throw .captureIDInvalid }
        return id
    }

    /// A day of the calendar, `YYYY-MM-DD`, as it came.
    static func date(_ text: some StringProtocol) throws(RouteFailure) -> String {
        let text = String(text)
        guard MemoryQueries.isDate(text) else { throw .dateInvalid }
        return text
    }
}
