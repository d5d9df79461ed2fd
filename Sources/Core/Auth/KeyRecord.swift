public import Readings

/// A row of `sluice.api_key` as operators see it; the key itself is not stored anywhere.
public struct KeyRecord: Sendable, Equatable {
    /// Its number, as long as the row exists.
    public let id: Int64
    /// The name that the operator chose; unique among the keys in force.
    public let name: String
    /// The key's first characters.
    public let prefix: String
    /// As stored in the table, including words that this version does not know.
    public let scopes: [String]
    /// When it was made.
    public let createdAt: Timestamp
    /// The key is refused from this time on; nil: never.
    public let expiresAt: Timestamp?
    /// When it was revoked; nil: it was not.
    public let revokedAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?
    /// Whose readings it may bring; nil: anybody's.
    public let binding: KeyBinding?
    /// May be some seconds out of date; nil: never used.
    public let lastUsedAt: Timestamp?
}
