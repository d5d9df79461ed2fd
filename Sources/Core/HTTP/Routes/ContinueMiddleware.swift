import HTTPTypes
import Hummingbird
import NIOCore

/// Sends `100 Continue` only when a route begins to read the body. So a client that expects it gets
/// a refusal that depends on the head alone before it sends the body.
///
/// - Source: RFC 9110, section 10.1.1.
struct ContinueMiddleware: RouterMiddleware {
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
