import Crypto

/// The 64-bit key that stands for a device id and a user in every big table: the rows of one device
/// for one user.
///
/// A hash of both: no look-up, no sequence, the same on every node. All keys of a device id have
/// the same ``fold``, so whoever its users are, its rows are in one shard and go through one lane.
/// The other 32 bits tell the users apart. `key_check` of `device_state` tells two devices with one
/// key apart; the second one's readings are quarantined. For two users of one device that happens
/// by chance once in 4·10⁹ pairs.
///
/// With h = SHA-256(device id, a zero byte, user id): the upper half of the key is the first four
/// bytes of h, big-endian; ``check`` is its bytes 8 to 15; the lower half makes the fold that of
/// ``DeviceIDKey``.
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

    /// - Parameters:
    ///   - deviceID: lower-cased already.
    ///   - user: whose readings they are.
    public init(of deviceID: String, user: String) {
        self.init(of: deviceID, DeviceIDKey(of: deviceID), user: user)
    }

    /// The same, for a caller that has the id's key.
    public init(of deviceID: String, _ id: DeviceIDKey, user: String) {
        var hash = SHA256()
        hash.update(text: deviceID)
        withUnsafeBytes(of: 0 as UInt8) { hash.update(bufferPointer: $0) }
        hash.update(text: user)
        let (first, second) = hash.finalize().firstWords
        let high = first >> 32
        let low = Self.fold(id.value) ^ Self.mask(of: UInt32(high))
        value = Int64(bitPattern: high << 32 | UInt64(low))
        check = Int64(bitPattern: second)
    }

    /// The 32 bits of the key that PostgreSQL hashes, and so what decides the Citus shard.
    ///
    /// - Source: `hashint8` in PostgreSQL's `hashfunc.c`.
    public var fold: UInt32 { Self.fold(value) }

    private static func fold(_ key: Int64) -> UInt32 {
        let bits = UInt64(bitPattern: key)
        return UInt32(truncatingIfNeeded: bits) ^ mask(of: UInt32(bits >> 32))
    }

    /// What the lower half is combined with: the upper half, inverted if the key is negative.
    private static func mask(of high: UInt32) -> UInt32 { high >> 31 == 0 ? high : ~high }
}
