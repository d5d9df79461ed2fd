public import Auth
public import HTTPTypes
public import Hummingbird
import NIOCore

/// Authorizes requests to the routes of users.
public struct RouteGuard: Sendable {
    let access: AccessPolicy
    let scope: KeyScope

    /// - Parameter scope: what a key must have.
    public init(access: AccessPolicy, scope: KeyScope) {
        self.access = access
        self.scope = scope
    }

    /// Decides whether the sender of a request may call.
    ///
    /// - Parameter user: the user whose data the path names; nil if it names none.
    /// - Throws: ``RequestFailure/unauthorized``, ``RequestFailure/forbidden``,
    ///   ``RequestFailure/scopeMissing(_:)`` or ``RequestFailure/otherSite``; or
    ///   ``RequestFailure/databaseUnavailable(retryAfter:)`` if the key may exist but could not be
    ///   read yet.
    public func admit(_ request: Request, to user: String? = nil) async throws(RequestFailure)
        -> Caller
    {
        let credentials = credentials(of: request, token: token(of: request))
        switch await access.admit(credentials, user: user, scope: scope) {
        case .admitted(let caller): return caller
        case .unauthorized: throw .unauthorized
        case .forbidden: throw .forbidden
        case .scopeMissing: throw .scopeMissing(scope)
        case .otherSite: throw .otherSite
        case .unknown: throw .databaseUnavailable(retryAfter: .seconds(2))
        }
    }

    /// What the request shows about its sender.
    func credentials(of request: Request, token: String?) -> Credentials {
        let fields = request.headers
        return Credentials(
            token: token, origin: fields[.origin], authority: request.head.authority,
            isForwarded: fields.contains(.forwarded) || fields.contains(.forwardedFor))
    }

    /// The token or key in the request's header fields.
    func token(of request: Request) -> String? {
        PresentedToken.read(
            authorization: request.headers[.authorization], apiKey: request.headers[.apiKey])
    }
}

extension HTTPField.Name {
    /// `X-API-Key`.
    static let apiKey = HTTPField.Name("X-API-Key")!
    /// RFC 7239.
    static let forwarded = HTTPField.Name("Forwarded")!
    /// `X-Forwarded-For`.
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    /// `X-Forwarded-Proto`: the scheme with which the client called a proxy.
    static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
    /// `X-Forwarded-Host`: the `Host` that the client sent to a proxy.
    static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!
    /// `X-Durability`: the promise that an answer gives.
    public static let durability = HTTPField.Name("X-Durability")!
}
