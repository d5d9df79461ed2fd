import Ingestion
import NIOCore
import Scanning
import Times

/// A whole response of the edge, head and body, as sent on the wire.
struct Answer {
    let status: Int
    let bytes: ByteBuffer
}

/// How the head of a response says whether the connection continues.
enum ConnectionHeader {
    /// HTTP/1.1: the connection continues and no field is needed.
    case none
    /// HTTP/1.0: the client asked to keep the connection.
    case keepAlive
    case close

    /// The bytes from the end of the last field to the end of the head.
    fileprivate var lines: StaticString {
        switch self {
        case .none: "\r\n\r\n"
        case .keepAlive: "\r\nconnection: keep-alive\r\n\r\n"
        case .close: "\r\nconnection: close\r\n\r\n"
        }
    }
}

/// Builds answers: one buffer each, without a header table, without Codable.
///
/// Belongs to one event loop. The head that all 200s share is kept ready, including the date.
struct AnswerWriter {
    private let allocator = ByteBufferAllocator()
    private var body: ByteBuffer
    private var committedHead: ByteBuffer
    private var date = HTTPDate(unixSeconds: 0)
    private let durability: Durability

    /// An answer's fixed parts and a few numbers.
    private static let typicalBytes = 384

    init(unixSeconds: Int64, durability: Durability = .committed) {
        self.durability = durability
        body = allocator.buffer(capacity: 1024)
        committedHead = allocator.buffer(capacity: Self.typicalBytes)
        setDate(unixSeconds: unixSeconds)
    }

    /// The wall clock when the date was last set.
    var unixSeconds: Int64 { date.unixSeconds }

    /// Sets the date of answers. To be called several times a second (RFC 9110, section 6.6.1).
    mutating func setDate(unixSeconds: Int64) {
        if date.unixSeconds == unixSeconds { return }
        date = HTTPDate(unixSeconds: unixSeconds)
        committedHead.clear()
        writeHead(200, &committedHead)
        committedHead.writeString("x-durability: \(durability.rawValue)\r\ncontent-length: ")
    }

    /// A response with a JSON body.
    ///
    /// - Parameters:
    ///   - isHead: the request was a HEAD: the body is left out, its length is not.
    ///   - fields: complete header lines.
    mutating func answer(
        _ status: Int, _ connection: ConnectionHeader, isHead: Bool = false, fields: String = "",
        body write: (inout ByteBuffer) -> Void
    ) -> Answer {
        body.clear()
        write(&body)
        var bytes = allocator.buffer(
            capacity: Self.typicalBytes + fields.utf8.count + body.readableBytes)
        writeHead(status, &bytes)
        if !fields.isEmpty { bytes.writeString(fields) }
        bytes.writeStaticString("content-length: ")
        finish(&bytes, connection, isHead: isHead)
        return Answer(status: status, bytes: bytes)
    }

    /// The answer to a committed batch, which is the hot path.
    mutating func committed(
        _ connection: ConnectionHeader, body write: (inout ByteBuffer) -> Void
    ) -> Answer {
        body.clear()
        write(&body)
        var bytes = allocator.buffer(
            capacity: committedHead.readableBytes + body.readableBytes + 64)
        bytes.writeImmutableBuffer(committedHead)
        finish(&bytes, connection, isHead: false)
        return Answer(status: 200, bytes: bytes)
    }

    /// The answer to a batch that is on disk and not in the database yet.
    mutating func spooled(
        _ connection: ConnectionHeader, body write: (inout ByteBuffer) -> Void
    ) -> Answer {
        answer(202, connection, fields: "x-durability: spooled\r\n", body: write)
    }

    private func writeHead(_ status: Int, _ bytes: inout ByteBuffer) {
        bytes.writeStaticString("HTTP/1.1 ")
        bytes.writeDecimal(status)
        bytes.writeStaticString(" ")
        bytes.writeStaticString(Self.reason(status))
        bytes.writeStaticString("\r\ndate: ")
        bytes.writeString(date.text)
        bytes.writeStaticString("\r\ncontent-type: application/json\r\n")
    }

    private func finish(
        _ bytes: inout ByteBuffer, _ connection: ConnectionHeader, isHead: Bool
    ) {
        bytes.writeDecimal(body.readableBytes)
        bytes.writeStaticString(connection.lines)
        if !isHead { bytes.writeImmutableBuffer(body) }
    }

    private static func reason(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 202: "Accepted"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        default: preconditionFailure("BUG: status=\(status)")
        }
    }
}

/// The body of the answer to a batch that is on disk and not in the database yet.
struct SpooledAnswer {
    let records: Int
    /// Readings that the scanner quarantined; duplicates are not known yet.
    let quarantined: Int
    let problems: [Problem]

    func write(to body: inout ByteBuffer) {
        body.writeStaticString("{\"status\":\"spooled\",\"records\":")
        body.writeDecimal(records)
        if quarantined > 0 {
            body.writeStaticString(",\"quarantined\":")
            body.writeDecimal(quarantined)
            body.write(problems)
        }
        body.writeStaticString("}")
    }
}
