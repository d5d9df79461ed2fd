/// Bytes as two hexadecimal digits each, in lower case by default.
public enum Hexadecimal {
    private static let lower = Array("0123456789abcdef".utf8)
    private static let upper = Array("0123456789ABCDEF".utf8)

    /// The digits of all bytes, one after the other.
    public static func text(_ bytes: some Sequence<UInt8>, isUpper: Bool = false) -> String {
        let digits = isUpper ? upper : lower
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// All sixteen digits of a number.
    public static func text(_ number: UInt64) -> String {
        text(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }

    /// Nil unless the text is pairs of lower-case digits, so that a value has one spelling.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[place]), let low = value(digits[place + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// - Returns: nil for capital letters too.
    public static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
