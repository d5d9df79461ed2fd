public import Readings

/// A row of `sluice.quarantine`.
public struct QuarantinedRow: Sendable, Equatable {
    let deviceKey: Int64
    /// SHA-256 of ``body``.
    let digest: [UInt8]
    /// The device that sent it, lower-cased.
    public let deviceID: String
    /// Why it was set aside, the first time.
    public let reason: String
    /// The reading as sent; cut when it was too large.
    public let body: [UInt8]
    /// Its place in the batch that brought it first; negative when unknown.
    public let index: Int
    /// Name of the key that the batch came with.
    public let keyName: String
    /// When it came first.
    public let receivedAt: Timestamp

    /// What operators call it: the first twelve hexadecimal digits of its digest. The same bytes of
    /// two devices have one name.
    public var id: String {
        digest.prefix(6).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
