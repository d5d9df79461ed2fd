import HTTPTypes
import Hummingbird

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
