import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The form that a system's errors have. The systems are products of their own with clients of
/// their own; what they share is this server.
enum ErrorEnvelope: Sendable {
    /// `{"detail":…}`: telemetry, and what belongs to no system.
    case detail
    /// `{"status":"error","error":…}`: memory captures.
    case captures
    /// The same; the sentence begins with `upload failed: `.
    case upload
    /// `{"error":{"message":…,"code":…}}`: meal logs. Has also `field` where one is to blame.
    case meals
    /// `{"error":…,"details":…,"code":…}`: the journal. The status in words, the sentence, and the
    /// status as a number.
    case journal

    /// Writes an error that is told by a sentence.
    ///
    /// - Parameters:
    ///   - status: of the answer; some systems say it again, or a code that follows from it.
    ///   - problem: what is known besides.
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

/// Makes every error of the router's routes into JSON, in the envelope of the path's system.
///
/// What a route throws on purpose (``RouteFailure``, `HTTPError`) is told, and so is a database or a
/// store that is away or full; anything else is told as a 500 without a word about it and logged by
/// its type, since its text may hold anything. A known path that is asked for with a wrong method is
/// a 405 with `Allow`. An answer to HEAD has no body, whatever it says.
struct EnvelopeMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // The connection is told by its own handler.
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
            // What a client did wrong is for the client to know.
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
        // These carry facts and never what was sent.
        if RouteFailure(error) != nil { metadata["error"] = "\(error)" }
        logger.log(level: level, "route failed", metadata: metadata)
    }
}

/// What is known of an error beside its status and its sentence, for envelopes that have room for it.
struct ErrorProblem: Sendable, Equatable {
    /// For programs; nil: what follows from the status.
    var code: String?
    /// Which field of the request is to blame.
    var field: String?
}
