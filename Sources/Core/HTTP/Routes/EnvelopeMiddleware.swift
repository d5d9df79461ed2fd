import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Turns every error of the router's routes into JSON, in the envelope of the path's system.
///
/// The client gets the details of what a route throws on purpose (``RequestFailure``, `HTTPError`),
/// and of an unreachable or full database or store. Any other error is a 500 without details, and
/// only its type is logged, because its text may hold anything. A known path with a wrong method is
/// a 405 with `Allow`. An answer to HEAD never has a body.
struct EnvelopeMiddleware<Context: RequestContext>: RouterMiddleware {
    /// For errors of the framework that don't say it.
    private static var retryAfter: Duration { .seconds(5) }

    let table: RouteTable

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // The connection's own handler answers these.
            throw error
        } catch {
            let response = response(to: request, error, context.logger)
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private func response(
        to request: Request, _ error: any Error, _ logger: Logger
    ) -> Response {
        let route = table[table.id(of: request.head.path ?? "")]
        if let failure = failure(error, route) {
            // Mistakes of clients are not logged.
            if !(error is RequestFailure), failure.status.kind == .serverError {
                log(error, at: .warning, route, logger)
            }
            return failure.response(in: route.envelope)
        }
        guard let error = error as? any HTTPResponseError else {
            log(error, at: .error, route, logger)
            return RequestFailure(.internalServerError, "Internal Server Error")
                .response(in: route.envelope)
        }
        if error.status == .notFound, !route.methods.isEmpty,
            !route.methods.contains(request.method)
        {
            return RequestFailure.methodNotAllowed(route.methods).response(in: route.envelope)
        }
        let sentence = (error as? HTTPError)?.body ?? error.status.reasonPhrase
        let isTemporary = [.tooManyRequests, .serviceUnavailable].contains(error.status)
        return RequestFailure(
            error.status, sentence, retryAfter: isTemporary ? Self.retryAfter : nil
        ).response(in: route.envelope)
    }

    private func failure(_ error: any Error, _ route: RouteTable.Entry) -> RequestFailure? {
        RequestFailure(error) ?? route.explain(error)
    }

    private func log(
        _ error: any Error, at level: Logger.Level, _ route: RouteTable.Entry, _ logger: Logger
    ) {
        var metadata: Logger.Metadata = [
            "route": "\(route.label)", "error.type": "\(type(of: error))",
        ]
        // These errors carry facts and never what was sent.
        if failure(error, route) != nil { metadata["error"] = "\(error)" }
        logger.log(level: level, "route failed", metadata: metadata)
    }
}
