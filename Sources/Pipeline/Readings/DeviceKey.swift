import Digests

/// The 64-bit key that stands for a device id in every big table.
///
/// It is the first eight bytes, big-endian, of SHA-256 over the lower-cased id in UTF-8: no
/// look-up, no sequence, the same on every node. The next eight bytes are kept in `device_state` as
/// `key_check`, so that two ids with one key are told apart; the second one's readings are
/// quarantined.
public struct DeviceKey: Hashable, Sendable {
    /// `device_key` in the database.
    public let value: Int64
    /// `key_check` in the database: tells a clash from a known device.
    public let check: Int64

    /// A key as the database has it.
    public init(value: Int64, check: Int64) {
        self.value = value
        self.check = check
    }

    /// - Parameter deviceID: lower-cased already.
    public init(of deviceID: String) {
        var deviceID = deviceID
        var hash = SHA256()
        deviceID.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        let digest = hash.finishWords()
        value = Int64(bitPattern: UInt64(bigEndian: digest.0))
        check = Int64(bitPattern: UInt64(bigEndian: digest.1))
    }
}
