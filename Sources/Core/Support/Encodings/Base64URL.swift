/// RFC 4648, section 5, without padding: the alphabet of keys and tokens.
public enum Base64URL {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte as a digit; 255 if it is not one.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Without padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var pending = 0
        var bits = 0
        for byte in bytes {
            pending = (pending << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(letters[pending >> bits & 63])
            }
        }
        if bits > 0 { text.append(letters[pending << (6 - bits) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` encodes; nil unless it is their only encoding. Unused bits must be
    /// zero, so that no token has two spellings.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var pending = 0
        var bits = 0
        for letter in text {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            pending = (pending << 6 | Int(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        guard bits < 6, pending & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }
}
