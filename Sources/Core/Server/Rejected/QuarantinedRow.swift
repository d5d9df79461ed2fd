import Postgres
public import Readings

/// A row of `sluice.quarantine`.
public struct QuarantinedRow: Sendable, Equatable {
    let deviceKey: Int64
    /// SHA-256 of ``body``.
    let digest: [UInt8]
    /// The device that sent the reading, in lower case.
    public let deviceID: String
    /// The user of its batch.
    public let userID: String
    /// Why it was quarantined first.
    public let reason: String
    /// The reading as sent; truncated if it was too large.
    public let body: [UInt8]
    /// Its place in the first batch that contained it; negative when unknown.
    public let index: Int
    /// Name of the API key of that batch.
    public let keyName: String
    /// When it was first received.
    public let receivedAt: Timestamp

    /// The id for operators: twelve hexadecimal digits of a hash of device, user and bytes.
    public let id: String
}
