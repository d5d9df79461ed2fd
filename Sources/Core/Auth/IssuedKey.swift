public import Readings

/// The columns of `sluice.api_key` that checking a key needs.
public struct IssuedKey: Sendable, Equatable {
    /// Its name and its id in the table.
    public let id: KeyID
    /// SHA-256 of the key.
    public let digest: KeyDigest
    /// What it may be used for.
    public let scopes: Set<KeyScope>
    /// The key is refused from this time on; nil: never.
    public let expiresAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?
    /// Whose readings it may bring; nil: anybody's.
    public let binding: KeyBinding?

    /// - Parameter scopes: without the words of the table that this version does not know.
    public init(
        id: KeyID, digest: KeyDigest, scopes: Set<KeyScope>, expiresAt: Timestamp?,
        bytesPerSecond: Int? = nil, binding: KeyBinding? = nil
    ) {
        self.id = id
        self.digest = digest
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.bytesPerSecond = bytesPerSecond
        self.binding = binding
    }
}
