/// Access control: API keys (making, storing, checking and revoking them) and users' tokens.
///
/// - There are two kinds of key. *Configured* keys come from `INGEST_API_KEY` (for `/ingest` only)
///   and `SLUICE_APP_KEYS` (for everything but `/ingest`) and live as long as the process. *Issued*
///   keys are made with `sluice keys create` and stored in the table `sluice.api_key`, each with
///   its scopes.
/// - A key is checked for every request, on the event loop: one SHA-256 of the presented text, one
///   look-up in memory, a comparison in constant time, and the expiry against the clock. The
///   database is not queried. A check takes about a fifth of a microsecond.
/// - Only the SHA-256 of a key is kept, in memory and in the database. An issued key has 256 random
///   bits, so a slow hash would add nothing.
/// - ``KeyRefresher`` reads the table every two seconds and replaces the ring, so a revoked key
///   stops working within five seconds on every node without a restart. While the database is
///   unreachable the last ring stays in force: known keys go on working, and they still expire.
/// - A key may have a quota in bytes a second. No key may have more than its share of the bytes in
///   flight; see ``KeyAccount``.
/// - A user's token is a JWT (RFC 7519) whose `sub` is the user; ``TokenVerifier`` documents what
///   it accepts. ``AccessPolicy`` combines keys and tokens: a token reaches its own user's data, a
///   key reaches the data of any user. If neither a key nor a secret is configured, everybody
///   reaches everything. ``AccessConfiguration/faults(host:mayHaveIssuedKeys:)`` allows this on
///   loopback only, and web pages of other sites are always refused.
/// - Nothing here prints a key or a token: descriptions, errors and logs carry names and ids only.

/// The identity of a key: its name, and its id if it is in the table.
public struct KeyID: Hashable, Sendable {
    /// The name that the operator chose.
    public let name: String
    /// `api_key.key_id`; nil for a key from the configuration.
    public let id: Int64?

    /// - Parameter id: nil for a key that is not in the database.
    public init(name: String, id: Int64?) {
        self.name = name
        self.id = id
    }
}

/// What a key may be used for. The table stores the raw value.
public enum KeyScope: String, CaseIterable, Sendable {
    /// `POST /ingest`.
    case ingest
    /// Memory captures: uploads and their files, the capture socket, the results.
    case captures
    /// Meal logs and consultations.
    case meals
    /// Multimedia records and their files.
    case media
    /// The server's status and the last position of every device: for operators. Configured
    /// application keys have this scope too. No user's token has it, and no device's key, because
    /// every device carries that one around.
    case status

    /// The scopes that users' apps need.
    public static let application: Set<KeyScope> = [.captures, .meals, .media]

    /// The paths name the user, and existing clients send no credentials: captures, including the
    /// files that their users' pages refer to, and the journal.
    var namesUserInPath: Bool { self == .captures || self == .media }
}

/// Finds the owner of a presented key.
public protocol KeyAuthority: Sendable {
    /// The key's account, or nil when the key is unknown, revoked, expired or lacks the scope.
    ///
    /// Called on an event loop for every request: no blocking, no I/O.
    func authenticate(_ presented: String, for scope: KeyScope) -> KeyAccount?

    /// The same for a key that was presented before, if only its digest was kept.
    func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyAccount?

    /// False until the table has been read: until then a valid key may be unknown.
    var knowsAllKeys: Bool { get }

    /// Whether a key for users' apps is known to have been issued. Once true it stays true.
    var hasIssuedApplicationKey: Bool { get }
}

extension KeyAuthority {
    /// For implementations without a table.
    public var knowsAllKeys: Bool { true }
    /// For implementations that issue no keys.
    public var hasIssuedApplicationKey: Bool { false }
    /// For implementations that keep no digests.
    public func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyAccount? { nil }
}
