import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The form of a system's errors. The systems are separate products with separate clients, on one
/// server.
enum ErrorEnvelope: Sendable {
    /// `{"detail":…}`: telemetry, and paths of no system.
    case detail
    /// `{"status":"error","error":…}`: memory captures.
    case captures
    /// Like ``captures``; the sentence begins with `upload failed: `.
    case upload
    /// `{"error":{"message":…,"code":…}}`: meal logs. Also `field`, if one field is at fault.
    case meals
    /// `{"error":…,"details":…,"code":…}`: the journal. The status in words, the sentence, and the
    /// status as a number.
    case journal

    /// Writes an error that consists of a sentence.
    ///
    /// - Parameters:
    ///   - status: of the answer; some systems repeat it, or a code that follows from it.
    ///   - problem: further facts.
    func write(
        _ sentence: String, status: Int, _ problem: ErrorProblem = ErrorProblem(),
        to body: inout ByteBuffer
    ) {
        switch self {
        case .detail:
            body.writeStaticString("{\"detail\":")
            body.writeJSON(sentence)
        case .captures:
            body.writeStaticString("{\"status\":\"error\",\"error\":")
            body.writeJSON(sentence)
        case .upload:
            body.writeStaticString("{\"status\":\"error\",\"error\":")
            body.writeJSON("upload failed: " + sentence)
        case .meals:
            body.writeStaticString("{\"error\":{\"message\":")
            body.writeJSON(sentence)
            body.writeStaticString(",\"code\":")
            body.writeJSON(problem.code ?? MealErrorCode(status: status).rawValue)
            if let field = problem.field {
                body.writeStaticString(",\"field\":")
                body.writeJSON(field)
            }
            body.writeStaticString("}")
        case .journal:
            body.writeStaticString("{\"error\":")
            body.writeJSON(HTTPResponseStatus(statusCode: status).reasonPhrase)
            body.writeStaticString(",\"details\":")
            body.writeJSON(sentence)
            body.writeStaticString(",\"code\":")
            body.writeDecimal(status)
        }
        body.writeStaticString("}")
    }
}

/// Turns every error of the router's routes into JSON, in the envelope of the path's system.
///
/// The client gets the details of what a route throws on purpose (``RouteFailure``, `HTTPError`),
/// and of an unreachable or full database or store. Any other error is a 500 without details, and
/// only its type is logged, because its text may hold anything. A known path with a wrong method is
/// a 405 with `Allow`. An answer to HEAD never has a body.
struct EnvelopeMiddleware<Context: RequestContext>: RouterMiddleware {
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
        let route = Route(uri: request.head.path ?? "")
        if let failure = RouteFailure(error) {
            // Mistakes of clients are not logged.
            if !(error is RouteFailure), failure.status.kind == .serverError {
                log(error, at: .warning, route, logger)
            }
            return failure.response(in: route.envelope)
        }
        guard let error = error as? any HTTPResponseError else {
            log(error, at: .error, route, logger)
            return Response.error(.internalServerError, "Internal Server Error", in: route.envelope)
        }
        if error.status == .notFound, !route.methods.isEmpty,
            !route.methods.contains(request.method)
        {
            var response = Response.error(
                .methodNotAllowed, "Method Not Allowed", in: route.envelope)
            response.headers[.allow] = route.methods.map(\.rawValue).joined(separator: ", ")
            return response
        }
        let sentence = (error as? HTTPError)?.body ?? error.status.reasonPhrase
        return Response.error(error.status, sentence, in: route.envelope)
    }

    private func log(
        _ error: any Error, at level: Logger.Level, _ route: Route, _ logger: Logger
    ) {
        var metadata: Logger.Metadata = [
            "route": "\(route.rawValue)", "error.type": "\(type(of: error))",
        ]
        // These errors carry facts and never what was sent.
        if RouteFailure(error) != nil { metadata["error"] = "\(error)" }
        logger.log(level: level, "route failed", metadata: metadata)
    }
}

/// Further facts of an error, for envelopes that have members for them.
struct ErrorProblem: Sendable, Equatable {
    /// For programs; nil means the code that follows from the status.
    var code: String?
    /// The field of the request that is at fault.
    var field: String?
}
