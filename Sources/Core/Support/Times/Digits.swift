/// Decimal numbers in the fixed places of a written time.
enum Digits {
    /// Nil unless every byte is an ASCII digit.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    /// - Parameter value: 0 to 99.
    static func two(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
