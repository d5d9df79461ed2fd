/// Percent-encoding, such as `%2F`, and decoding.
///
/// - Source: RFC 3986, sections 2.1 and 2.3.
public enum PercentEncoding {
    /// Encodes every byte except letters, digits and `-._~`, as AWS's signatures require.
    ///
    /// - Parameter kept: further bytes that stay as they are.
    public static func encoded(_ text: String, keeping kept: Set<UInt8> = []) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) || kept.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(contentsOf: Hexadecimal.text([byte], isUpper: true).utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// - Returns: nil when a `%` is not followed by two hexadecimal digits.
    public static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var decoded: [UInt8] = []
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = bytes.next().flatMap(value), let low = bytes.next().flatMap(value)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    /// The decoded text; nil also when the decoded bytes are not UTF-8.
    public static func decodedText(_ text: some StringProtocol) -> String? {
        decoded(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether the byte never needs to be encoded.
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        let isUpper = UInt8(ascii: "A")...UInt8(ascii: "F") ~= digit
        return Hexadecimal.value(isUpper ? digit | 0x20 : digit)
    }
}
