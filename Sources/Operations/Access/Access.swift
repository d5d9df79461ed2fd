/// Who may call: API keys, how they are made, kept, looked up and withdrawn, and users' tokens.
///
/// - Two kinds of key. *Configured* ones come from `INGEST_API_KEY` (for `/ingest` only) and
///   `SLUICE_APP_KEYS` (for all but `/ingest`) and live as long as the process; *issued* ones are
///   made with `sluice keys create` and live in the table `sluice.api_key`, each with its scopes.
/// - A key is checked for every request, on the event loop: one SHA-256 of what was presented, one
///   look-up in memory, a comparison in constant time, the expiry against the clock. The database
///   is not asked. A fifth of a microsecond or so.
/// - Only the SHA-256 of a key is kept, in memory and in the database. An issued key has 256 random
///   bits, so a slow hash would add nothing.
/// - ``KeyRefresher`` reads the table every two seconds and replaces the ring, so a revoked key stops
///   working within five seconds on every node without a restart. While the database is away the
///   last ring stays in force: those who could send still can, expiry is still kept.
/// - A key may have a quota in bytes a second, and never more than its share of what is in flight:
///   see ``KeyAccount``.
/// - A user's token is a JWT (RFC 7519) whose `sub` is the user; ``TokenVerifier`` says what is
///   believed of one. ``AccessPolicy`` puts keys and tokens together: a token reaches its own
///   user's data, a key that of any user, and without any key or secret everybody reaches
///   everything, which ``AccessConfiguration/faults(host:mayHaveIssuedKeys:)`` allows on loopback
///   only, and browsers' pages of other sites nowhere.
/// - Nothing here prints a key or a token: descriptions, errors and logs carry names and ids only.

/// Who sent something: the key's name, and its id when it is in the table.
public struct KeyID: Hashable, Sendable {
    /// What the operator called it.
    public let name: String
    /// `api_key.key_id`; nil for a key from the configuration.
    public let id: Int64?

    /// - Parameter id: nil for a key that the database doesn't know.
    public init(name: String, id: Int64?) {
        self.name = name
        self.id = id
    }
}

/// What a key may be used for. The raw value stands in the table.
public enum KeyScope: String, CaseIterable, Sendable {
    /// `POST /ingest`.
    case ingest
    /// Memory captures: uploads and their files, the capture socket, what was made of them.
    case captures
    /// Meal logs and consultations.
    case meals
    /// Multimedia records and their files.
    case media
    /// How the server does, and where all devices were last: for operators. Configured keys for apps
    /// have it too; no user's token and no key of a device, which every device carries around.
    case status

    /// All that users' apps use.
    public static let application: Set<KeyScope> = [.captures, .meals, .media]

    /// Its clients say in the path whom they act for, and those that exist show nothing: captures,
    /// with the files that their users' pages name, and the journal.
    var namesUserInPath: Bool { self == .captures || self == .media }
}

/// Decides who a presented key belongs to.
public protocol KeyAuthority: Sendable {
    /// The key's account, or nil when the key is unknown, revoked, expired or lacks the scope.
    ///
    /// Called on an event loop for every request: no blocking, no I/O.
    func authenticate(_ presented: String, for scope: KeyScope) -> KeyAccount?

    /// The same for a key that was presented before and of which only the digest was kept.
    func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyAccount?

    /// False as long as a key may be good that is not known: the table has not been read yet.
    var knowsAllKeys: Bool { get }

    /// A key that users' apps may use has been issued, as far as is known by now. Once true it stays
    /// so.
    var hasIssuedApplicationKey: Bool { get }
}

extension KeyAuthority {
    /// For those who have no table to read.
    public var knowsAllKeys: Bool { true }
    /// For those who issue none.
    public var hasIssuedApplicationKey: Bool { false }
    /// For those who keep no digests.
    public func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyAccount? { nil }
}
