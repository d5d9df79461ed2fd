/// Access control: API keys (making, storing, checking and revoking them) and users' tokens.
///
/// - There are two kinds of key. *Configured* keys come from `SLUICE_INGEST_API_KEY` (for `/ingest` only)
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
/// - A key may be bound to one user or device (``KeyBinding``): readings of another are refused.
///   A user's token brings that user's readings (``AccessPolicy/sender(_:)``).
/// - A key may have a quota in bytes a second. No key may have more than its share of the bytes in
///   flight; see ``KeyLimits``.
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
