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
