import Encodings
import Inspections

/// SHA-256 of a file's bytes.
public struct MediaDigest: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of a digest.
    public static let byteCount = 32

    /// The 32 bytes, as in the table.
    public let bytes: [UInt8]

    /// - Returns: nil unless there are exactly ``byteCount`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// - Returns: nil unless `hex` is 64 hexadecimal digits in lower case.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(hex), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits in lower case.
    public var hex: String { Hexadecimal.text(bytes) }

    /// The same as ``hex``.
    public var description: String { hex }
}
