/// Bytes as two lower-case digits each.
enum Hexadecimal {
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// nil unless all of it is pairs of digits.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 255) }
        guard digits.count.isMultiple(of: 2), !digits.contains(255) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
