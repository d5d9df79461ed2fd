public import Readings

/// A row of `sluice.api_key` as operators see it; the key itself is nowhere.
public struct KeyRecord: Sendable, Equatable {
    /// Its number, for as long as the row lives.
    public let id: Int64
    /// What the operator called it; only one key in force has it.
    public let name: String
    /// The key's first characters.
    public let prefix: String
    /// As they stand in the table, also words that this version doesn't know.
    public let scopes: [String]
    /// When it was made.
    public let createdAt: Timestamp
    /// From when on it is refused; nil: never.
    public let expiresAt: Timestamp?
    /// When it was withdrawn; nil: it was not.
    public let revokedAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?
    /// Some seconds old at most; nil: never used.
    public let lastUsedAt: Timestamp?
}
