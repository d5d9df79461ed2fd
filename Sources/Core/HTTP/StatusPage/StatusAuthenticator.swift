import Auth
import HTTPTypes
import Hummingbird

/// Authorizes access to the status.
struct StatusAuthenticator: Sendable {
    /// Why a client was admitted. It may become invalid while the client watches.
    enum Pass: Sendable {
        /// No credentials are required.
        case open
        case key(KeyDigest)
        /// The token of a session.
        case session(String)

        var isSession: Bool { if case .session = self { true } else { false } }
    }

    /// The result of a sign-in with a key.
    enum SignIn: Sendable {
        /// Signed in, with the token of the session.
        case opened(String)
        /// No credentials are required.
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

    /// Admits a request by its key or else by its session.
    ///
    /// - Throws: as ``RouteGuard`` does; ``RequestFailure/keyNeeded`` for a user's token, which is no
    ///   key.
    func admit(_ request: Request) async throws(RequestFailure) -> Pass {
        do throws(RequestFailure) {
            switch try await door.admit(request) {
            case .anybody: return .open
            case .user: throw .keyNeeded
            case .key: return .key(KeyDigest(of: door.token(of: request) ?? ""))
            }
        } catch  where error == .unauthorized || error == .scopeMissing(.status) {
            guard let token = StatusCookie.token(in: request.headers[.cookie]) else { throw error }
            let pass = Pass.session(token)
            guard await isGood(pass) else { throw error }
            return pass
        }
    }

    /// Whether the pass is still valid: the key is not revoked, the session has not ended, and
    /// access without credentials is still open.
    func isGood(_ pass: Pass) async -> Bool {
        switch pass {
        case .open: access.isOpen(for: .status)
        case .key(let key): access.isInForce(key, for: .status)
        case .session(let token):
            sessions.key(of: token).map { access.isInForce($0, for: .status) } ?? false
        }
    }

    /// - Parameter address: of the client; nil if unknown, which all such clients share.
    /// - Throws: ``RequestFailure/otherSite``; or ``RequestFailure/databaseUnavailable(retryAfter:)``
    ///   if the key may exist but could not be read yet.
    func signIn(
        _ key: String, _ request: Request, from address: ClientAddress?
    ) async throws(RequestFailure) -> SignIn {
        let credentials = door.credentials(of: request, token: key)
        switch await access.admit(credentials, user: nil, scope: .status) {
        case .admitted(.anybody): return .needless
        case .admitted(.key): return .opened(sessions.open(for: KeyDigest(of: key)))
        case .otherSite: throw .otherSite
        case .unknown: throw .databaseUnavailable(retryAfter: .seconds(2))
        case .admitted(.user), .unauthorized, .forbidden, .scopeMissing:
            return tries.count(address).map { .tooOften(retryAfter: $0) } ?? .wrong
        }
    }

    /// Ends the request's session, if it has one.
    func signOut(_ request: Request) {
        if let token = StatusCookie.token(in: request.headers[.cookie]) { sessions.close(token) }
    }
}
