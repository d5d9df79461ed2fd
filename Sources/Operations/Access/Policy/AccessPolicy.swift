public import Readings
import Synchronization

/// Decides who may call the routes of users' apps, and the sockets.
///
/// Any thread may ask at any time. What is in force is one value behind a lock, replaced as a whole;
/// checking a signature happens outside the lock.
///
/// Without a secret and a key everybody is let in, on loopback or by ``AccessConfiguration/isOpenAllowed``.
/// - The first key for apps that is issued ends that, on all nodes and for as long as each runs: a
///   key that is revoked later must not open what it had closed.
/// - As long as issued keys are not known, because the database is away at the start, nobody is let
///   in by that rule and all are told to come again.
/// - A browser's page of another site is not let in: without that, every site that somebody on this
///   machine visits could read and write here (``Credentials``).
///
/// With ``AccessConfiguration/trustsPathUser`` that much holds, beside secrets and keys, for the apps
/// whose paths name the user (``KeyScope/namesUserInPath``): who shows nothing is let in, who shows
/// something wrong is not.
public final class AccessPolicy: Sendable {
    private struct Rules {
        var configuration: AccessConfiguration
        /// Nobody has to show anything unless there is an issued key.
        var isOpenWithoutKeys: Bool
        /// Then only this machine's own programs may call, not pages of its browsers.
        var isLocal: Bool
        /// Of the secret; none or one.
        var secretKeys: [TokenKey]
        /// Of the JWKS file.
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
    private let host: String
    private let now: @Sendable () -> Timestamp

    /// Reads the JWKS file, if there is one to read.
    ///
    /// - Parameters:
    ///   - host: what the server listens on.
    ///   - keys: all API keys; those of ``AccessConfiguration/applicationKeys`` must be among them.
    /// - Throws: the first of the configuration's faults, or what is wrong with the file.
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
        if let secret = configuration.tokenSecret { rules.secretKeys = [TokenKey(secret: secret)] }
        if let path = configuration.tokenKeysPath {
            let file = KeySetFile(path: path)
            rules.fileMark = file.mark()
            rules.fileKeys = try await file.read().keys
        }
        return rules
    }

    /// Whether callers need not show anything.
    public var isOpen: Bool { openness == .everything }

    /// What callers who show nothing may use.
    public var openness: Openness {
        let rules = rules.withLock { $0 }
        if rules.isOpenWithoutKeys, keys.knowsAllKeys, !keys.hasIssuedApplicationKey {
            return .everything
        }
        return rules.configuration.trustsPathUser ? .userInPath : .nothing
    }

    /// Puts another configuration in force.
    ///
    /// - Throws: as the initializer does; what was in force then stays so.
    public func replace(with configuration: AccessConfiguration) async throws(AccessFault) {
        let next = try await Self.rules(configuration, host, keys)
        rules.withLock { $0 = next }
    }

    /// Reads the JWKS file again if it looks different from when it was last read.
    ///
    /// - Returns: whether it did.
    /// - Throws: what is wrong with it, each time until it is mended or put back; the keys that were
    ///   known stay in force.
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
    ///   - credentials: what it shows.
    ///   - user: whose data it is about; nil where the path doesn't say, and the route has to ask
    ///     ``Caller/mayReach(_:)`` later.
    public func admit(
        _ credentials: Credentials, user: String?, scope: KeyScope
    ) async -> Admission {
        // Asked first: what is read after is at least as new.
        let knowsAllKeys = keys.knowsAllKeys
        let rules = rules.withLock { $0 }
        if rules.isOpenWithoutKeys {
            guard knowsAllKeys else { return .unknown }
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
        if let account = keys.authenticate(token, for: scope) { return .admitted(.key(account)) }
        guard let owner = try? rules.verifier.verify(token, now: now()) else {
            return knowsAllKeys ? .unauthorized : .unknown
        }
        let caller = Caller.user(owner.user, until: owner.until)
        if let user, !caller.mayReach(user) { return .forbidden }
        return .admitted(caller)
    }

    /// Whether a route that asks nobody for anything may answer: while everybody is let in, it refuses
    /// the same pages of other sites as the others do.
    public func isOpen(to credentials: Credentials) -> Bool {
        guard isOpen else { return true }
        let admission = Self.admitAnybody(
            credentials, isLocal: rules.withLock { $0.isLocal })
        if case .admitted = admission { return true }
        return false
    }

    /// Whether a key that was admitted before would be so again; see ``admit(_:user:scope:)``. Only
    /// its digest need have been kept.
    public func isInForce(_ key: KeyDigest, for scope: KeyScope) -> Bool {
        keys.authenticate(key, for: scope) != nil
    }

    /// Whether what somebody was let in by still holds; see ``admit(_:user:scope:)``. A token is not
    /// verified again: it holds until it expires.
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

    private static func admitAnybody(_ credentials: Credentials, isLocal: Bool) -> Admission {
        if credentials.isFromOtherSite { return .otherSite }
        if isLocal, credentials.isForSomeName { return .otherSite }
        return .admitted(.anybody)
    }
}

/// What a caller's credentials are good for.
public enum Admission: Sendable {
    /// Go on.
    case admitted(Caller)
    /// Nothing was shown, or nothing that counts: 401. Why is told to nobody.
    case unauthorized
    /// It is known who calls, and this is not his: 403.
    case forbidden
    /// Nobody has to show anything, and a page of another site asks: 403.
    case otherSite
    /// It can't be told yet: issued keys have not been read. 503.
    case unknown
}

/// What callers who show neither token nor key may use, but for `/ingest`, which always wants its key.
public enum Openness: Sendable {
    case nothing
    /// Routes of apps that name the user in the path; see ``AccessConfiguration/trustsPathUser``.
    case userInPath
    case everything
}

/// On what grounds somebody was let in. They may cease to hold while he is there.
public enum Pass: Sendable, Equatable {
    /// Nothing had to be shown.
    case nothing
    /// A token; nil: it never expires.
    case token(until: Timestamp?)
    case key(KeyDigest)

    /// - Parameter credentials: those that the caller was admitted by.
    public init(_ caller: Caller, _ credentials: Credentials) {
        switch caller {
        case .anybody: self = .nothing
        case .user(_, let until): self = .token(until: until)
        case .key: self = .key(KeyDigest(of: credentials.token ?? ""))
        }
    }
}

/// Who has been let in.
public enum Caller: Sendable {
    /// Nobody has to say who he is.
    case anybody
    /// Has a token that is good until then; nil: for ever.
    case user(String, until: Timestamp?)
    /// Has an API key of the right scope; acts for any user.
    case key(KeyAccount)

    /// - Returns: whether that user's data is for this caller. Names are the same byte by byte only.
    public func mayReach(_ user: String) -> Bool {
        switch self {
        case .anybody, .key: true
        case .user(let own, _): TokenVerifier.same(own, user)
        }
    }

    /// The user that everything this caller brings belongs to; nil where it may act for any.
    public var user: String? {
        if case .user(let name, _) = self { name } else { nil }
    }
}
