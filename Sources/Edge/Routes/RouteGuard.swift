import Access
import HTTPTypes
import Hummingbird
import NIOCore

/// Authorizes requests to the routes of users.
struct RouteGuard: Sendable {
    let access: AccessPolicy
    let scope: KeyScope

    /// - Parameter user: the user whose data the path names; nil if it names none.
    /// - Throws: ``RouteFailure/unauthorized``, ``RouteFailure/forbidden`` or
    ///   ``RouteFailure/otherSite``; or ``RouteFailure/databaseUnavailable(retryAfter:)`` if the
    ///   key may exist but could not be read yet.
    func admit(_ request: Request, to user: String? = nil) async throws(RouteFailure) -> Caller {
        let credentials = credentials(of: request, token: token(of: request))
        switch await access.admit(credentials, user: user, scope: scope) {
        case .admitted(let caller): return caller
        case .unauthorized: throw .unauthorized
        case .forbidden: throw .forbidden
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
}

/// Sends `100 Continue` only when a route begins to read the body. So a client that expects it gets
/// a refusal that depends on the head alone before it sends the body.
///
/// - Source: RFC 9110, section 10.1.1.
struct LeaveMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: RouteContext,
        next: (Request, RouteContext) async throws -> Response
    ) async throws -> Response {
        guard request.headers[.expect] != nil else { return try await next(request, context) }
        var request = request
        request.body = RequestBody(
            asyncSequence: AskedBody(body: request.body, channel: context.channel))
        return try await next(request, context)
    }
}

/// What a route needs in addition to its request.
struct RouteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, or the HTTP/2 stream.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
