import Scanning

/// Why a request is not answered with a 200: facts only. `Failure+Answer` makes them into words.
enum Failure: Error, Equatable, Sendable {
    // Decided from the head.
    case methodNotAllowed
    case unauthorized
    case contentTypeUnsupported
    case encodingUnsupported
    case idempotencyKeyTooLong(bytesMax: Int)
    case bodyTooLarge(bytesMax: Int)
    case overloaded(retryAfter: Duration)
    case quotaUsedUp(retryAfter: Duration)
    case unavailable(retryAfter: Duration)
    case answersUnread(retryAfter: Duration)

    // Decided while the body comes.
    case expandsTooMuch(timesMax: Int)
    /// `offset`: into the body as it came. Of LZ4 it is the beginning of the damaged block, or of
    /// the one before a damaged head; otherwise how far the body could be read.
    case encodingBroken(BodyEncoding, BodyEncodingFault, offset: Int)
    case scan(ScanError)
    case shareUsedUp(retryAfter: Duration)
    case bodyTimedOut
    case bodyIncomplete

    // Decided by the lane, or for want of its decision.
    case acknowledgementLate(retryAfter: Duration)
    case refusedByDatabase(sqlState: String)

    // Not a request at all.
    case headTimedOut
    case headTooLarge
    case requestMalformed
    case hostInvalid
    case transferCodingUnknown
    case tooManyConnections(retryAfter: Duration)

    // Not a WebSocket where one is expected, or not one that is let in.
    case upgradeRequired
    case upgradeTooLate
    case upgradeMalformed
    case socketUnauthorized
    case socketForbidden
    case socketOfOtherSite
    case socketUnknown
    case socketUserMissing
    case tooManySockets(retryAfter: Duration)
    case socketShareUsedUp(retryAfter: Duration)
    case stopping(retryAfter: Duration)
}

/// What is wrong with a compressed body.
enum BodyEncodingFault: Equatable, Sendable {
    case corrupt
    case truncated
    /// Bytes behind the end that start no further member or frame.
    case trailingBytes
}
