import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// Makes every error of the router's routes into `{"detail":…}`.
///
/// What a route throws on purpose (`HTTPError`) is told; anything else is told as a 500 without a
/// word about it and logged by its type, since its text may hold anything. A known path that is
/// asked for with a wrong method is a 405 with `Allow`.
struct DetailMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError {
            return response(to: request, error)
        } catch let error as HTTPParserError {
            // The connection is told by its own handler.
            throw error
        } catch let error as any HTTPResponseError {
            return Response.detail(error.status, error.status.reasonPhrase)
        } catch {
            context.logger.error(
                "route failed",
                metadata: [
                    "path": "\(request.uri.path)", "error.type": "\(type(of: error))",
                ])
            return Response.detail(.internalServerError, "Internal Server Error")
        }
    }

    private func response(to request: Request, _ error: HTTPError) -> Response {
        if error.status == .notFound, let allowed = Route(uri: request.uri.path).allowed {
            var response = Response.detail(.methodNotAllowed, "Method Not Allowed")
            response.headers[.allow] = allowed
            return response
        }
        var response = Response.detail(error.status, error.body ?? error.status.reasonPhrase)
        for field in error.headers { response.headers[field.name] = field.value }
        return response
    }
}
