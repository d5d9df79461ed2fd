public import Readings

/// A key of the table `sluice.api_key`, as far as checking it needs.
public struct IssuedKey: Sendable, Equatable {
    /// Its name and its number in the table.
    public let id: KeyID
    /// SHA-256 of the key.
    public let digest: KeyDigest
    /// What it may be used for.
    public let scopes: Set<KeyScope>
    /// From this moment on it is refused; nil: never.
    public let expiresAt: Timestamp?
    /// Bytes of request bodies a second on each node; nil: as configured for all.
    public let bytesPerSecond: Int?

    /// - Parameter scopes: unknown words of the table are left out by the reader.
    public init(
        id: KeyID, digest: KeyDigest, scopes: Set<KeyScope>, expiresAt: Timestamp?,
        bytesPerSecond: Int? = nil
    ) {
        self.id = id
        self.digest = digest
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.bytesPerSecond = bytesPerSecond
    }
}
