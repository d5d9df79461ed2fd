import Access
import HTTPTypes
import Hummingbird
import NIOCore

/// Lets requests to users' routes in, or not.
struct RouteGuard: Sendable {
    let access: AccessPolicy
    let scope: KeyScope

    /// - Parameter user: whose data the path names; nil where it names none.
    /// - Throws: ``RouteFailure/unauthorized``, ``RouteFailure/forbidden`` or
    ///   ``RouteFailure/otherSite``; or that the database is away, where a key may be one that could
    ///   not be read yet.
    func admit(_ request: Request, to user: String? = nil) async throws(RouteFailure) -> Caller {
        let credentials = Credentials(
            token: token(of: request), origin: request.headers[.origin],
            authority: request.head.authority)
        switch await access.admit(credentials, user: user, scope: scope) {
        case .admitted(let caller): return caller
        case .unauthorized: throw .unauthorized
        case .forbidden: throw .forbidden
        case .otherSite: throw .otherSite
        case .unknown: throw .databaseUnavailable(retryAfter: .seconds(2))
        }
    }

    /// What a request shows in its header fields.
    func token(of request: Request) -> String? {
        PresentedToken.read(
            authorization: request.headers[.authorization], apiKey: request.headers[.apiKey])
    }
}

extension HTTPField.Name {
    /// `X-API-Key`.
    static let apiKey = HTTPField.Name("X-API-Key")!
}

/// Lets a client that asks first (`Expect: 100-continue`) send its body when a route begins to read
/// it, and not before: whatever a route refuses from the head alone is told at once.
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

/// What a route knows beside its request.
struct RouteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, or the stream of one.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
