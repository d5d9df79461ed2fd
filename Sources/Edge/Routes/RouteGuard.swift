import Access
import HTTPTypes
import Hummingbird

/// Lets requests to users' routes in, or not.
struct RouteGuard: Sendable {
    let access: AccessPolicy
    let scope: KeyScope

    /// - Parameter user: whose data the path names; nil where it names none.
    /// - Throws: ``RouteFailure/unauthorized`` or ``RouteFailure/forbidden``; or that the database is
    ///   away, where a key may be one that could not be read yet.
    func admit(_ request: Request, to user: String? = nil) async throws(RouteFailure) -> Caller {
        let token = PresentedToken.read(
            authorization: request.headers[.authorization], apiKey: request.headers[.apiKey])
        switch await access.admit(token: token, user: user, scope: scope) {
        case .admitted(let caller): return caller
        case .unauthorized where token != nil && !access.knowsAllKeys:
            throw .databaseUnavailable(retryAfter: .seconds(2))
        case .unauthorized: throw .unauthorized
        case .forbidden: throw .forbidden
        }
    }
}

extension HTTPField.Name {
    /// `X-API-Key`.
    static let apiKey = HTTPField.Name("X-API-Key")!
}
