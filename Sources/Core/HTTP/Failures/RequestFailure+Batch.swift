import HTTPTypes

/// Why a batch is not accepted.
extension RequestFailure {
    /// 401, with the way to present a key.
    static func keyRefused(_ challenge: String) -> RequestFailure {
        RequestFailure(.unauthorized, "Unauthorized", headers: [.wwwAuthenticate: challenge])
    }
    static let codingUnknown = RequestFailure(
        .unsupportedMediaType, "The content encoding must be one of \(BodyEncoding.accepted)",
        headers: [.acceptEncoding: BodyEncoding.accepted])

    static func idempotencyKeyTooLong(bytesMax: Int) -> RequestFailure {
        RequestFailure(
            .badRequest, "The Idempotency-Key must not be longer than \(bytesMax) bytes",
            field: "Idempotency-Key")
    }

    /// 403: the key or token is for one user.
    static let userForeign = RequestFailure(
        .forbidden, "This key is for the readings of one user, and the request names another")
    /// 403: the key is for one device.
    static let deviceForeign = RequestFailure(
        .forbidden, "This key is for the readings of one device, and the request names another")

    // While the body comes.

    static func expandsTooMuch(timesMax: Int) -> RequestFailure {
        RequestFailure(
            .contentTooLarge,
            "The body must not grow to more than \(timesMax) times its compressed size")
    }

    /// - Parameter offset: counts from the start of the body as received. For LZ4 it is the start
    ///   of the damaged block, or of the block before a damaged head; for other encodings, the end
    ///   of what could be read, or the start of the piece after it.
    static func encodingBroken(
        _ encoding: BodyEncoding, _ fault: BodyEncodingFault, offset: Int
    ) -> RequestFailure {
        let sentence =
            switch fault {
            case .corrupt: "The body is not valid \(encoding.rawValue)"
            case .truncated: "The \(encoding.rawValue) body ends too soon"
            case .trailingBytes: "Something follows the end of the \(encoding.rawValue) body"
            case .windowTooLarge(let bytesMax):
                "The window of the \(encoding.rawValue) body must not be larger than \(bytesMax) bytes"
            }
        return RequestFailure(.badRequest, sentence, place: .offset(offset))
    }

    static let bodyTimedOut = RequestFailure(.requestTimeout, "The body came too slowly")
    static let bodyIncomplete = RequestFailure(
        .badRequest, "The request ended before its body was complete")

    // Of the lane, or for want of its decision.

    static func deviceShareUsedUp(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .tooManyRequests, "This device has more than its share waiting, come again later",
            retryAfter: retryAfter)
    }

    static func acknowledgementLate(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "The database is taking too long, send the batch again later",
            retryAfter: retryAfter)
    }

    static let batchRefused = RequestFailure(
        .internalServerError, "The database refused the batch")
}
