import Auth
public import HTTPTypes
import Hummingbird
import Postgres

/// Why a request fails, and all that its client is told, as one value: the one place where facts
/// become a status and a sentence. Whoever finds a failure makes it, on every layer; the form of the
/// answer's body is that of the path's system (``ErrorEnvelope``).
///
/// Each system makes its own in an extension; here are those that every route may need.
public struct RequestFailure: Error, Equatable, Sendable {
    /// The HTTP status.
    public let status: HTTPResponse.Status
    /// The failure as a sentence.
    public let sentence: String
    /// For programs, in envelopes that have a member for it.
    public let code: String?
    /// The field of the request that is at fault, in envelopes that have a member for it.
    public let field: String?
    /// Where in the body the fault is, in envelopes that say it.
    public let place: ErrorProblem.Place?
    /// When a retry makes sense; never nil with a 429 or a 503.
    public let retryAfter: Duration?
    /// Further header fields of the answer.
    public let headers: HTTPFields

    /// - Parameters:
    ///   - code: for programs; nil means the code that follows from the status.
    ///   - field: the field of the request that is at fault.
    ///   - place: where in the body the fault is.
    ///   - retryAfter: needed with a 429 or a 503.
    public init(
        _ status: HTTPResponse.Status, _ sentence: String, code: String? = nil,
        field: String? = nil, place: ErrorProblem.Place? = nil, retryAfter: Duration? = nil,
        headers: HTTPFields = [:]
    ) {
        precondition(
            retryAfter != nil || status != .tooManyRequests && status != .serviceUnavailable,
            "BUG: \(status) without Retry-After")
        self.status = status
        self.sentence = sentence
        self.code = code
        self.field = field
        self.place = place
        self.retryAfter = retryAfter
        self.headers = headers
    }

    /// Time in which an unreachable database may recover.
    private static let awayTime = Duration.seconds(5)

    /// The failure for an error that any route may meet; nil for others.
    init?(_ error: any Error) {
        switch error {
        case let failure as RequestFailure: self = failure
        case let error as PostgresError where error.failureClass == .retry:
            self = .databaseUnavailable(retryAfter: Self.awayTime)
        default: return nil
        }
    }

    /// The fields that the failure requires in its answer.
    var fields: HTTPFields {
        var fields = headers
        if let retryAfter { fields[.retryAfter] = RetryAfter.seconds(retryAfter) }
        return fields
    }

    /// What an envelope gets.
    var problem: ErrorProblem {
        ErrorProblem(sentence, status: status.code, code: code, field: field, place: place)
    }

    /// The complete response, of the router.
    func response(in envelope: ErrorEnvelope) -> Response {
        var response = Response.json(status, envelope.text(problem))
        response.headers.append(contentsOf: fields)
        return response
    }
}

/// Who asks, and for what.
extension RequestFailure {
    /// Names the two header fields that carry a token or a key.
    static let challenge = "Bearer, X-API-Key"

    /// 401: no valid credentials.
    public static let unauthorized = RequestFailure(
        .unauthorized, "Unauthorized", headers: [.wwwAuthenticate: challenge])
    /// 403: the data are another user's.
    public static let forbidden = RequestFailure(
        .forbidden, "These data belong to another user")
    /// 403: a page of another site, where no credentials are required.
    static let otherSite = RequestFailure(
        .forbidden,
        "without keys and tokens this server is not open to web pages of other sites, nor under "
            + "any name but localhost")
    static let keyNeeded = RequestFailure(
        .forbidden, "this takes a key with the scope status, not a user's token")
    /// 404.
    public static let notFound = RequestFailure(.notFound, "Not Found")
    /// 400: the user's id is too long or has control characters.
    public static let userInvalid = RequestFailure(
        .badRequest, "the user id must have 1 to 128 characters, none of them for control",
        field: "user_id")
    /// 400: the caller may act for any user, and names none.
    public static let userMissing = RequestFailure(
        .badRequest,
        "this key acts for any user: say for whom, as ?user_id=, with 1 to 128 characters, none "
            + "of them for control", field: "user_id")
    static let hostInvalid = RequestFailure(.badRequest, "the Host header names no host")

    static func scopeMissing(_ scope: KeyScope) -> RequestFailure {
        RequestFailure(.forbidden, "this key lacks the scope \(scope.rawValue)")
    }
}

/// What was sent.
extension RequestFailure {
    /// 415: the body is compressed.
    public static let encodingUnsupported = RequestFailure(
        .unsupportedMediaType, "the body must not be compressed",
        headers: [.acceptEncoding: "identity"])

    static func contentTypeUnsupported(expected: String) -> RequestFailure {
        RequestFailure(.unsupportedMediaType, "The content type must be \(expected)")
    }

    /// 413: the body is larger than this many bytes.
    public static func bodyTooLarge(bytesMax: Int) -> RequestFailure {
        RequestFailure(.contentTooLarge, "The body must not be larger than \(bytesMax) bytes")
    }

    /// 405, with the methods of the path.
    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> RequestFailure {
        RequestFailure(
            .methodNotAllowed, "Method Not Allowed",
            headers: [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
    }
}

/// What can't be done now, or at all.
extension RequestFailure {
    /// 429: the key has sent as much as it may.
    public static func quotaUsedUp(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .tooManyRequests, "This key has used up its quota, come again later",
            retryAfter: retryAfter)
    }

    /// 503.
    public static func databaseUnavailable(retryAfter: Duration) -> RequestFailure {
        RequestFailure(.serviceUnavailable, "Database unavailable", retryAfter: retryAfter)
    }

    /// 500: the database refused a statement for what it says.
    public static let refusedByDatabase = RequestFailure(
        .internalServerError, "the database refused it")

    static func overloaded(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "Too much work at hand, come again later", retryAfter: retryAfter)
    }

    static func laneShareUsedUp(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .tooManyRequests, "too much of what waits is yours, come again later",
            retryAfter: retryAfter)
    }

    static func commitLate(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable,
            "the database is taking too long; look whether it is there before you send it again",
            retryAfter: retryAfter)
    }

    static func watchersTooMany(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "too many watch the status, come again later",
            retryAfter: retryAfter)
    }
}
