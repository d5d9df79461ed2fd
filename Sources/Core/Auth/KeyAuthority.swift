/// Finds the owner of a presented key.
public protocol KeyAuthority: Sendable {
    /// The key's account, or nil when the key is unknown, revoked, expired or lacks the scope.
    ///
    /// Called on an event loop for every request: no blocking, no I/O.
    func authenticate(_ presented: String, for scope: KeyScope) -> KeyLimits?

    /// The same for a key that was presented before, if only its digest was kept.
    func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyLimits?

    /// Whether the key is in force, for whatever scope.
    func isInForce(_ presented: String) -> Bool

    /// Which key it is, also if it lacks a scope, was revoked or has expired; nil if it is unknown.
    ///
    /// Only for people, to say whose key was refused.
    func id(of presented: String) -> KeyID?

    /// False until the table has been read: until then a valid key may be unknown.
    var knowsAllKeys: Bool { get }

    /// Whether the keys are those of the table, or those of this node's earlier run.
    var remembersKeys: Bool { get }

    /// Whether a key for users' apps is known to have been issued. Once true it stays true.
    var hasIssuedApplicationKey: Bool { get }

    /// Bytes of request bodies a second of each sender that has no quota of its own; nil: no limit.
    var bytesPerSecond: Int? { get }
}

extension KeyAuthority {
    /// For implementations whose keys have every scope.
    public func isInForce(_ presented: String) -> Bool { false }
    /// For implementations that know no refused keys.
    public func id(of presented: String) -> KeyID? { nil }
    /// For implementations without a table.
    public var knowsAllKeys: Bool { true }
    /// For implementations that remember none.
    public var remembersKeys: Bool { knowsAllKeys }
    /// For implementations that issue no keys.
    public var hasIssuedApplicationKey: Bool { false }
    /// For implementations without quotas.
    public var bytesPerSecond: Int? { nil }
    /// For implementations that keep no digests.
    public func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyLimits? { nil }
}
