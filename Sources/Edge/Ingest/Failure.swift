import Encodings
import NIOCore
import Scanning

/// Why a request is not answered with a 200: facts only. The extension below turns them into words.
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
    /// `offset` counts from the start of the body as received. For LZ4 it is the start of the
    /// damaged block, or of the block before a damaged head; for other encodings, the end of what
    /// could be read.
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
    /// Bytes after the end that start no further member or frame.
    case trailingBytes
}

/// What a client is told of a failure: the one place where facts become a status and a sentence.
extension Failure {
    /// The HTTP status.
    var status: Int {
        switch self {
        case .methodNotAllowed: 405
        case .unauthorized, .socketUnauthorized: 401
        case .socketForbidden, .socketOfOtherSite: 403
        case .socketUnknown: 404
        case .upgradeRequired, .upgradeTooLate: 426
        case .contentTypeUnsupported, .encodingUnsupported: 415
        case .bodyTooLarge, .expandsTooMuch: 413
        case .idempotencyKeyTooLong, .encodingBroken, .bodyIncomplete, .requestMalformed,
            .hostInvalid, .upgradeMalformed, .socketUserMissing:
            400
        case .scan(.envelope): 422
        case .scan: 400
        case .bodyTimedOut, .headTimedOut: 408
        case .headTooLarge: 431
        case .quotaUsedUp, .shareUsedUp, .socketShareUsedUp: 429
        case .overloaded, .unavailable, .answersUnread, .acknowledgementLate, .tooManyConnections,
            .tooManySockets, .stopping:
            503
        case .refusedByDatabase: 500
        case .transferCodingUnknown: 501
        }
    }

    /// When a retry makes sense; never nil with a 429 or a 503.
    var retryAfter: Duration? {
        switch self {
        case .overloaded(let time), .quotaUsedUp(let time), .shareUsedUp(let time),
            .unavailable(let time), .answersUnread(let time),
            .acknowledgementLate(let time), .tooManyConnections(let time),
            .tooManySockets(let time), .socketShareUsedUp(let time), .stopping(let time):
            time
        case .methodNotAllowed, .unauthorized, .contentTypeUnsupported, .encodingUnsupported,
            .idempotencyKeyTooLong, .bodyTooLarge, .expandsTooMuch, .encodingBroken, .scan,
            .bodyTimedOut, .bodyIncomplete, .refusedByDatabase, .headTimedOut, .headTooLarge,
            .requestMalformed, .hostInvalid, .transferCodingUnknown, .upgradeRequired,
            .upgradeTooLate, .upgradeMalformed,
            .socketUnauthorized, .socketForbidden, .socketOfOtherSite, .socketUnknown,
            .socketUserMissing:
            nil
        }
    }

    /// Complete header lines that the failure requires.
    ///
    /// - Parameter retryAfterSeconds: ``retryAfter`` in whole seconds.
    func fields(retryAfterSeconds: Int?) -> String {
        var fields = retryAfterSeconds.map { "retry-after: \($0)\r\n" } ?? ""
        switch self {
        case .methodNotAllowed: fields += "allow: POST\r\n"
        case .unauthorized: fields += "www-authenticate: X-API-Key\r\n"
        case .socketUnauthorized: fields += "www-authenticate: Bearer\r\n"
        case .upgradeRequired, .upgradeTooLate:
            fields += "upgrade: websocket\r\nsec-websocket-version: 13\r\n"
        case .encodingUnsupported: fields += "accept-encoding: \(BodyEncoding.accepted)\r\n"
        default: break
        }
        return fields
    }

    /// Writes the JSON body.
    ///
    /// - Parameter envelope: the form of the path's system. Faults of a batch always use that of
    ///   telemetry.
    func write(to body: inout ByteBuffer, in envelope: ErrorEnvelope = .detail) {
        switch self {
        case .scan(.envelope(let fault)):
            fault.write(to: &body)
        case .scan(.unexpectedByte(let byte, let offset)):
            let text = byte >= 0x20 && byte < 0x7F ? "'\(Unicode.Scalar(byte))'" : Self.hex(byte)
            Self.write(
                "Not JSON: unexpected byte \(text)\(Self.form(byte, offset))", offset: offset,
                to: &body)
        case .scan(.truncated(let offset)):
            Self.write("Not JSON: the body ends too soon", offset: offset, to: &body)
        case .scan(.invalidUTF8(let offset)):
            Self.write("Not JSON: invalid UTF-8", offset: offset, to: &body)
        case .scan(.nestedTooDeep(let offset)):
            Self.write("Nested too deep", offset: offset, to: &body)
        case .encodingBroken(_, _, let offset):
            Self.write(detail, offset: offset, to: &body)
        default:
            envelope.write(detail, status: status, to: &body)
        }
    }

    /// What a body that begins with this byte probably is.
    private static func form(_ byte: UInt8, _ offset: Int) -> String {
        switch (byte, offset) {
        case (0xFF, 0), (0xFE, 0), (0x00, 0), (0x00, 1): "; this looks like UTF-16, send UTF-8"
        case (0x1F, 0): "; this looks like gzip, send Content-Encoding: gzip"
        case (0x04, 0): "; this looks like LZ4, send Content-Encoding: lz4"
        case (0x78, 0): "; if this is zlib, send Content-Encoding: deflate"
        case (0x28, 0): "; if this is Zstandard, which is not supported, send gzip or lz4"
        default: ""
        }
    }

    private var detail: String {
        switch self {
        case .methodNotAllowed: "Method Not Allowed"
        case .unauthorized: "Unauthorized"
        case .contentTypeUnsupported: "The content type must be application/json"
        case .encodingUnsupported:
            "The content encoding must be one of \(BodyEncoding.accepted)"
        case .idempotencyKeyTooLong(let bytesMax):
            "The Idempotency-Key must not be longer than \(bytesMax) bytes"
        case .bodyTooLarge(let bytesMax): "The body must not be larger than \(bytesMax) bytes"
        case .expandsTooMuch(let timesMax):
            "The body must not grow to more than \(timesMax) times its compressed size"
        case .encodingBroken(let encoding, let fault, _):
            switch fault {
            case .corrupt: "The body is not valid \(encoding.rawValue)"
            case .truncated: "The \(encoding.rawValue) body ends too soon"
            case .trailingBytes: "Something follows the end of the \(encoding.rawValue) body"
            }
        case .answersUnread: "Too many answers wait to be read, come again later"
        case .bodyTimedOut: "The body came too slowly"
        case .bodyIncomplete: "The request ended before its body was complete"
        case .overloaded: "Too much work at hand, come again later"
        case .quotaUsedUp: "This key has used up its quota, come again later"
        case .shareUsedUp: "This device has more than its share waiting, come again later"
        case .unavailable: "Database unavailable"
        case .acknowledgementLate: "The database is taking too long, send the batch again later"
        case .refusedByDatabase: "The database refused the batch"
        case .headTimedOut: "The request came too slowly"
        case .headTooLarge: "The request's header fields are too large"
        case .requestMalformed: "Not a valid HTTP request"
        case .hostInvalid: "The request must name one host, in one Host field"
        case .transferCodingUnknown: "The transfer coding must be chunked and nothing else"
        case .tooManyConnections: "Too many connections, come again later"
        case .upgradeRequired: "This path is for WebSockets (RFC 6455, version 13)"
        case .upgradeTooLate: "Only the first request of a connection can be an upgrade"
        case .upgradeMalformed: "Not a valid WebSocket handshake"
        case .socketUnauthorized: "Unauthorized"
        case .socketForbidden: "Forbidden"
        case .socketOfOtherSite: RouteFailure.otherSite.sentence
        case .socketUnknown: "Not Found"
        case .socketUserMissing: RouteFailure.userMissing.sentence
        case .tooManySockets: "Too many WebSockets, come again later"
        case .socketShareUsedUp: "Too many of the open WebSockets are yours, come again later"
        case .stopping: "The server is stopping, come again later"
        case .scan: preconditionFailure("BUG: \(self) has no plain sentence")
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        "0x" + Hexadecimal.text([byte], isUpper: true)
    }

    private static func write(_ detail: String, offset: Int, to body: inout ByteBuffer) {
        body.writeStaticString("{\"detail\":")
        body.writeJSON(detail)
        body.writeStaticString(",\"offset\":")
        body.writeDecimal(offset)
        body.writeStaticString("}")
    }
}
