/// SHA-256 of a file's bytes.
public struct MediaDigest: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of a digest.
    public static let byteCount = 32

    /// The 32 bytes, as the table keeps them.
    public let bytes: [UInt8]

    /// - Returns: nil unless there are exactly ``byteCount`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// - Returns: nil unless `hex` is 64 hexadecimal digits in lower case.
    public init?(hex: some StringProtocol) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Hexadecimal.value(digits[place]),
                let low = Hexadecimal.value(digits[place + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits in lower case.
    public var hex: String { Hexadecimal.text(bytes) }

    /// The same as ``hex``.
    public var description: String { hex }
}
