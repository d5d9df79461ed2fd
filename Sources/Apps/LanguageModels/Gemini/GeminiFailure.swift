import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Why there is no answer from the model. Contains no part of the request, the key or the answer's
/// text.
public enum GeminiFailure: Error, Equatable, Sendable {
    /// The budget is used up; a request is possible again after this time.
    case budgetUsedUp(retryAfter: Duration)
    /// The last try was answered with this status, and with this `Retry-After` if there was one.
    case status(Int, retryAfter: Duration?)
    /// The whole answer did not arrive within the time limit.
    case timedOut
    /// The connection failed or ended early.
    case unreachable
    /// The answer is larger than the limit.
    case answerTooLarge(bytesMax: Int)
    /// The answer does not follow the service's documentation, is not JSON, or does not decode as
    /// the type that was asked for.
    case answerMalformed
    /// The model did not answer, or not in full. The word is the service's reason, such as `SAFETY`
    /// or `MAX_TOKENS`.
    case declined(String)
    /// The task was cancelled.
    case cancelled

    /// A short, stable word for logs and tables, without secrets.
    public var word: String {
        switch self {
        case .budgetUsedUp: "budget_used_up"
        case .status(let status, _): "http_\(status)"
        case .timedOut: "timed_out"
        case .unreachable: "unreachable"
        case .answerTooLarge: "answer_too_large"
        case .answerMalformed: "answer_malformed"
        case .declined(let reason): "declined_\(reason.lowercased().prefix(64))"
        case .cancelled: "cancelled"
        }
    }

    /// How long to wait before the next request, as the service or the budget says.
    public var retryAfter: Duration? {
        switch self {
        case .budgetUsedUp(let wait): wait
        case .status(_, let wait): wait
        default: nil
        }
    }

    /// Whether a retry of the same request may succeed.
    var mayPass: Bool {
        switch self {
        case .status(let status, _): status == 429 || (500...599).contains(status)
        case .timedOut, .unreachable: true
        default: false
        }
    }
}
