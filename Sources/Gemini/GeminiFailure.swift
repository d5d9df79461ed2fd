/// Why a model has not answered. Carries nothing of the request, its key or the answer's text.
public enum GeminiFailure: Error, Equatable, Sendable {
    /// The budget of requests is used up for that long.
    case budgetUsedUp(retryAfter: Duration)
    /// The service answered with this status, last of all tries; it may have said how long to wait.
    case status(Int, retryAfter: Duration?)
    /// No whole answer in time.
    case timedOut
    /// No connection, or it ended early.
    case unreachable
    /// The answer has more bytes than the limit.
    case answerTooLarge(bytesMax: Int)
    /// The answer is not what the service's own documentation says, not JSON, or not of the form
    /// that was asked for.
    case answerMalformed
    /// The model would not answer: its word for why, such as `SAFETY` or `MAX_TOKENS`.
    case declined(String)
    /// The task was cancelled while the model was asked.
    case cancelled

    /// For logs and tables: short, stable, without secrets.
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

    /// How long the service, or the budget, asks us to stay away.
    public var retryAfter: Duration? {
        switch self {
        case .budgetUsedUp(let wait): wait
        case .status(_, let wait): wait
        default: nil
        }
    }

    /// The same request may have another answer in a second.
    var mayPass: Bool {
        switch self {
        case .status(let status, _): status == 429 || (500...599).contains(status)
        case .timedOut, .unreachable: true
        default: false
        }
    }
}
