import NIOCore

/// The form that a system's errors have. The systems are products of their own with clients of
/// their own; what they share is this server.
enum ErrorEnvelope: Sendable {
    /// `{"detail":…}`: telemetry, and what belongs to no system.
    case detail
    /// `{"status":"error","error":…}`: memory captures.
    case captures
    /// The same; the sentence begins with `upload failed: `.
    case upload

    /// Writes an error that is told by a sentence alone.
    func write(_ sentence: String, to body: inout ByteBuffer) {
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
        }
        body.writeStaticString("}")
    }
}
