import Access
import HTTPTypes
import Hummingbird

/// Who may see the status.
struct StatusDoor: Sendable {
    /// On what grounds somebody was let in. They may cease to hold while he watches.
    enum Pass: Sendable {
        /// Nobody has to show anything.
        case open
        case key(KeyDigest)
        /// Its token.
        case session(String)

        var isSession: Bool { if case .session = self { true } else { false } }
    }

    /// What comes of showing a key.
    enum SignIn: Sendable {
        /// With the token of the session.
        case opened(String)
        /// Nobody has to show anything.
        case needless
        case wrong
        case tooOften(retryAfter: Duration)
    }

    let access: AccessPolicy
    private let door: RouteGuard
    private let sessions = StatusSessions()
    private let tries = WrongTries()

    init(access: AccessPolicy) {
        self.access = access
        door = RouteGuard(access: access, scope: .status)
    }

    /// By the key that the request shows, else by its session.
    ///
    /// - Throws: as ``RouteGuard`` does; a user's token is no key and gets
    ///   ``RouteFailure/keyNeeded``.
    func admit(_ request: Request) async throws(RouteFailure) -> Pass {
        do throws(RouteFailure) {
            switch try await door.admit(request) {
            case .anybody: return .open
            case .user: throw .keyNeeded
            case .key: return .key(KeyDigest(of: door.token(of: request) ?? ""))
            }
        } catch .unauthorized {
            guard let token = StatusCookie.token(in: request.headers[.cookie]) else {
                throw .unauthorized
            }
            let pass = Pass.session(token)
            guard await isGood(pass) else { throw .unauthorized }
            return pass
        }
    }

    /// Still so: the key is not withdrawn, the session not over, and nobody has closed what was open.
    func isGood(_ pass: Pass) async -> Bool {
        switch pass {
        case .open: access.isOpen
        case .key(let key): access.isInForce(key, for: .status)
        case .session(let token):
            sessions.key(of: token).map { access.isInForce($0, for: .status) } ?? false
        }
    }

    /// - Parameter address: of the client; nil: unknown, and shared by all who have none.
    /// - Throws: ``RouteFailure/otherSite``, or that the database is away where a key may be one that
    ///   could not be read yet.
    func signIn(
        _ key: String, _ request: Request, from address: ClientAddress?
    ) async throws(RouteFailure) -> SignIn {
        if let retryAfter = tries.begin(address) { return .tooOften(retryAfter: retryAfter) }
        var isWrong = false
        defer { if !isWrong { tries.takeBack(address) } }
        let credentials = Credentials(
            token: key, origin: request.headers[.origin], authority: request.head.authority)
        switch await access.admit(credentials, user: nil, scope: .status) {
        case .admitted(.anybody): return .needless
        case .admitted(.key): return .opened(sessions.open(for: KeyDigest(of: key)))
        case .otherSite: throw .otherSite
        case .unknown: throw .databaseUnavailable(retryAfter: .seconds(2))
        case .admitted(.user), .unauthorized, .forbidden:
            isWrong = true
            return .wrong
        }
    }

    /// Ends the request's session, if it has one.
    func signOut(_ request: Request) {
        if let token = StatusCookie.token(in: request.headers[.cookie]) { sessions.close(token) }
    }
}
