public import Readings
import Synchronization

/// Decides who may call the routes of users' apps, and the sockets.
///
/// Thread-safe. The rules in force are one value behind a lock, replaced as a whole. Signatures are
/// checked outside the lock.
///
/// Without a secret and a key everybody is let in, on loopback or with
/// ``AccessConfiguration/isOpenAllowed``:
/// - Issuing the first key for apps ends this on all nodes, for as long as each process runs.
///   Revoking that key later must not reopen what it closed.
/// - While issued keys are not known, because the database was unreachable at the start, nobody is
///   let in by this rule and every caller is asked to retry.
/// - The status is then shown to this machine if the keys of the node's earlier run are known
///   (``KeyAuthority/remembersKeys``): an operator needs it most while the database is unreachable.
/// - Web pages of other sites are refused. Otherwise every site that somebody on this machine
///   visits could read and write here (``Credentials``).
///
/// The status shows where everybody is, and is not part of the apps. It is open on loopback only,
/// to programs and pages of this machine, whatever ``AccessConfiguration/isOpenAllowed`` says: a
/// request for another host, or one that a proxy has forwarded, needs a key.
///
/// ``AccessConfiguration/trustsPathUser`` opens only the routes whose paths name the user
/// (``KeyScope/namesUserInPath``), even where secrets and keys are set: a caller without
/// credentials is let in, a caller with wrong credentials is not.
public final class AccessPolicy: Sendable {
    private struct Rules {
        var configuration: AccessConfiguration
        /// No credentials are needed unless there is an issued key.
        var isOpenWithoutKeys: Bool
        /// While open, only programs on this machine may call, not web pages in its browsers.
        var isLocal: Bool
        /// The key made of the secret: none or one.
        var secretKeys: [TokenKey]
        /// The keys of the JWKS file.
        var fileKeys: [TokenKey]
        var fileMark: KeySetFile.Mark?

        var verifier: TokenVerifier {
            TokenVerifier(
                keys: secretKeys + fileKeys, issuer: configuration.tokenIssuer,
                audience: configuration.tokenAudience, leeway: configuration.tokenLeeway,
                needsExpiry: configuration.needsTokenExpiry)
        }
    }

    private let rules: Mutex<Rules>
    private let keys: any KeyAuthority
    private let senders = TokenSenders()
    private let host: String
    private let now: @Sendable () -> Timestamp

    /// Reads the JWKS file, if one is configured.
    ///
    /// - Parameters:
    /// - host: the address that the server listens on.
    ///   - keys: all API keys; those of ``AccessConfiguration/applicationKeys`` must be among them.
    /// - Throws: the first fault of the configuration, or what is wrong with the file.
    public init(
        _ configuration: AccessConfiguration, host: String, keys: any KeyAuthority,
        now: @escaping @Sendable () -> Timestamp
    ) async throws(AccessFault) {
        rules = Mutex(try await Self.rules(configuration, host, keys))
        self.keys = keys
        self.host = host
        self.now = now
    }

    private static func rules(
        _ configuration: AccessConfiguration, _ host: String, _ keys: any KeyAuthority
    ) async throws(AccessFault) -> Rules {
        let mayHaveKeys = keys.hasIssuedApplicationKey || !keys.knowsAllKeys
        if let fault = configuration.faults(host: host, mayHaveIssuedKeys: mayHaveKeys).first {
            throw fault
        }
        var rules = Rules(
            configuration: configuration,
            isOpenWithoutKeys: !configuration.isConfigured && configuration.mayBeOpen(on: host),
            isLocal: !configuration.isOpenAllowed, secretKeys: [], fileKeys: [])
        if let secret = configuration.tokenSecret {
            rules.secretKeys = [TokenKey(secret: Array(secret.utf8))]
        }
        if let path = configuration.tokenKeysPath {
            let file = KeySetFile(path: path)
            rules.fileMark = file.mark()
            rules.fileKeys = try await file.read().keys
        }
        return rules
    }

    /// Whether callers need no credentials for any route of the apps.
    public var isOpen: Bool { openness == .everything }

    /// Whether callers need no credentials for the routes of this scope.
    public func isOpen(for scope: KeyScope) -> Bool {
        guard scope == .status else { return isOpen }
        return AccessConfiguration.isLoopback(host) && rules.withLock { $0.isOpenWithoutKeys }
            && keys.remembersKeys && !keys.hasIssuedApplicationKey
    }

    /// What callers without credentials may use.
    public var openness: AccessMode {
        let rules = rules.withLock { $0 }
        if rules.isOpenWithoutKeys, keys.knowsAllKeys, !keys.hasIssuedApplicationKey {
            return .everything
        }
        return rules.configuration.trustsPathUser ? .userInPath : .nothing
    }

    /// Puts another configuration in force.
    ///
    /// - Throws: as the initializer does; the old configuration then stays in force.
    public func replace(with configuration: AccessConfiguration) async throws(AccessFault) {
        let next = try await Self.rules(configuration, host, keys)
        rules.withLock { $0 = next }
    }

    /// Reads the JWKS file again if it changed since it was last read.
    ///
    /// - Returns: whether it was read.
    /// - Throws: what is wrong with the file, on each call until it is repaired; the known keys
    ///   stay in force.
    @discardableResult
    public func refreshKeys() async throws(AccessFault) -> Bool {
        let (path, known) = rules.withLock { ($0.configuration.tokenKeysPath, $0.fileMark) }
        guard let path else { return false }
        let file = KeySetFile(path: path)
        let mark = file.mark()
        if mark == known, mark != nil { return false }
        let set = try await file.read()
        rules.withLock { rules in
            guard rules.configuration.tokenKeysPath == path else { return }
            rules.fileKeys = set.keys
            rules.fileMark = mark
        }
        return true
    }

    /// Decides about one request.
    ///
    /// - Parameters:
    /// - credentials: what the request carries.
    /// - user: the user whose data the request is about; nil if the path does not name one. The
    ///   route must then call ``Caller/mayReach(_:)`` itself.
    public func admit(
        _ credentials: Credentials, user: String?, scope: KeyScope
    ) async -> Admission {
        // Read first: everything that is read later is at least as new.
        let knowsAllKeys = keys.knowsAllKeys
        let rules = rules.withLock { $0 }
        if rules.isOpenWithoutKeys, scope != .status || isLocal(credentials, rules) {
            guard knowsAllKeys || scope == .status && keys.remembersKeys else { return .unknown }
            if !keys.hasIssuedApplicationKey {
                return Self.admitAnybody(credentials, isLocal: rules.isLocal)
            }
        }
        guard let token = credentials.token else {
            guard rules.configuration.trustsPathUser, scope.namesUserInPath else {
                return .unauthorized
            }
            return Self.admitAnybody(credentials, isLocal: false)
        }
        // Something was sent that is no token.
        guard !token.isEmpty else { return .unauthorized }
        if let account = keys.authenticate(token, for: scope) {
            return Self.admit(account, user: user, scope: scope)
        }
        guard let owner = try? rules.verifier.verify(token, now: now()) else {
            if keys.isInForce(token) { return .scopeMissing }
            return knowsAllKeys ? .unauthorized : .unknown
        }
        let caller = Caller.user(owner.user, until: owner.until)
        if let user, !caller.mayReach(user) { return .forbidden }
        return .admitted(caller)
    }

    /// A key that is bound to a device is for its readings only, and what is bound at all sees no
    /// status of everybody.
    private static func admit(
        _ account: KeyLimits, user: String?, scope: KeyScope
    ) -> Admission {
        if let binding = account.binding, binding.device != nil || scope == .status {
            return .scopeMissing
        }
        let caller = Caller.key(account)
        if let user, !caller.mayReach(user) { return .forbidden }
        return .admitted(caller)
    }

    /// The account of a user who sends readings with a token; nil if it is not a valid one.
    ///
    /// Called on an event loop: no blocking, no I/O. A signature takes some tens of microseconds.
    public func sender(_ token: String) -> KeyLimits? {
        let rules = rules.withLock { $0 }
        guard let owner = try? rules.verifier.verify(token, now: now()) else { return nil }
        return senders.account(of: owner.user, bytesPerSecond: keys.bytesPerSecond)
    }

    /// Whether a route that needs no credentials may answer. While everybody is let in, it refuses
    /// the same web pages of other sites as all routes do.
    public func isOpen(to credentials: Credentials) -> Bool {
        guard isOpen else { return true }
        let admission = Self.admitAnybody(
            credentials, isLocal: rules.withLock { $0.isLocal })
        if case .admitted = admission { return true }
        return false
    }

    /// Whether a key that was admitted before would be admitted now; see ``admit(_:user:scope:)``.
    /// The digest of the key is enough.
    public func isInForce(_ key: KeyDigest, for scope: KeyScope) -> Bool {
        keys.authenticate(key, for: scope) != nil
    }

    /// Whether the grounds for an earlier admission still hold; see ``admit(_:user:scope:)``. A
    /// token is not verified again: it holds until it expires.
    public func isInForce(_ pass: Pass, for scope: KeyScope) -> Bool {
        switch pass {
        case .nothing:
            switch openness {
            case .nothing: false
            case .userInPath: scope.namesUserInPath
            case .everything: true
            }
        case .token(let until): until.map { now() < $0 } ?? true
        case .key(let key): isInForce(key, for: scope)
        }
    }

    /// Whether a request may come from this machine. Without ``AccessConfiguration/isOpenAllowed``
    /// nobody has said that there is a proxy, so one for another host comes from a page, which is
    /// refused elsewhere.
    private func isLocal(_ credentials: Credentials, _ rules: Rules) -> Bool {
        AccessConfiguration.isLoopback(host) && !credentials.isForwarded
            && (rules.isLocal || !credentials.isForSomeName)
    }

    private static func admitAnybody(_ credentials: Credentials, isLocal: Bool) -> Admission {
        if credentials.isFromOtherSite { return .otherSite }
        if isLocal, credentials.isForSomeName { return .otherSite }
        return .admitted(.anybody)
    }
}
