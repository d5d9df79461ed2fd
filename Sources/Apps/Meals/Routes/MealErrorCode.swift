/// The error codes that clients of meal logs know.
enum MealErrorCode: String, CaseIterable, Sendable {
    case validation = "VALIDATION_ERROR"
    case unauthorized = "UNAUTHORIZED"
    case forbidden = "FORBIDDEN"
    case notFound = "NOT_FOUND"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case requestTimeout = "REQUEST_TIMEOUT"
    case conflict = "CONFLICT"
    case payloadTooLarge = "PAYLOAD_TOO_LARGE"
    case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
    case upgradeRequired = "UPGRADE_REQUIRED"
    case rateLimited = "RATE_LIMITED"
    case unavailable = "SERVICE_UNAVAILABLE"
    case internalError = "INTERNAL_ERROR"

    /// The code of a status, if nothing more specific is known.
    init(status: Int) {
        self =
            switch status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 405: .methodNotAllowed
            case 408: .requestTimeout
            case 409: .conflict
            case 413: .payloadTooLarge
            case 415: .unsupportedMediaType
            case 426: .upgradeRequired
            case 429: .rateLimited
            case 503: .unavailable
            case 400..<500: .validation
            default: .internalError
            }
    }
}
