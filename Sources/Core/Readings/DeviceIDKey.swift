import Crypto

/// The 128 bits that stand for a device id, whoever its user is.
///
/// They are the first sixteen bytes of SHA-256 over the lower-cased id in UTF-8.
public struct DeviceIDKey: Hashable, Sendable {
    /// The first eight bytes, big-endian: `device_key` of `sluice.device_keys`, and of devices that
    /// were registered before keys named the user.
    public let value: Int64
    /// The next eight: `key_check` of such a device.
    public let check: Int64

    /// - Parameter deviceID: lower-cased already.
    public init(of deviceID: String) {
        var hash = SHA256()
        hash.update(text: deviceID)
        let (first, second) = hash.finalize().firstWords
        value = Int64(bitPattern: first)
        check = Int64(bitPattern: second)
    }
}

extension SHA256 {
    mutating func update(text: String) {
        var text = text
        text.withUTF8 { update(bufferPointer: UnsafeRawBufferPointer($0)) }
    }
}

extension SHA256Digest {
    /// The first sixteen bytes as two big-endian numbers.
    var firstWords: (UInt64, UInt64) {
        withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
