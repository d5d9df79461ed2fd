import HTTPTypes
import Ingest
import NIOCore
import Scanner
import Times

/// Builds answers: one buffer each, without a header table, without Codable.
///
/// Belongs to one event loop. The head that all 200s share is kept ready, including the date.
struct AnswerWriter {
    private let allocator = ByteBufferAllocator()
    private var body: ByteBuffer
    private var committedHead: ByteBuffer
    private var date = HTTPDate(unixSeconds: 0)
    private let durability: Durability

    private static let json = "application/json"
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
        writeHead(200, Self.json, &committedHead)
        committedHead.writeString("x-durability: \(durability.rawValue)\r\ncontent-length: ")
    }

    /// The response to a failure.
    ///
    /// - Parameters:
    ///   - envelope: the form of the path's system.
    ///   - isHead: the request was a HEAD: the body is left out, its length is not.
    ///   - isProtobuf: the request was declared as ``InputFormat/protobufType``.
    mutating func answer(
        _ failure: RequestFailure, in envelope: ErrorEnvelope, _ connection: ConnectionHeader,
        isHead: Bool = false, isProtobuf: Bool = false
    ) -> Answer {
        var lines = ""
        for field in failure.fields { lines += "\(field.name.canonicalName): \(field.value)\r\n" }
        if isProtobuf, let message = envelope.protobuf {
            return answer(
                failure.status.code, connection, isHead: isHead,
                contentType: InputFormat.protobufType, fields: lines
            ) { $0.writeBytes(message(failure.problem)) }
        }
        return answer(failure.status.code, connection, isHead: isHead, fields: lines) { body in
            body.writeString(envelope.text(failure.problem))
        }
    }

    /// A response.
    ///
    /// - Parameters:
    ///   - isHead: the request was a HEAD: the body is left out, its length is not.
    ///   - fields: complete header lines.
    mutating func answer(
        _ status: Int, _ connection: ConnectionHeader, isHead: Bool = false,
        contentType: String = json, fields: String = "",
        body write: (inout ByteBuffer) -> Void
    ) -> Answer {
        body.clear()
        write(&body)
        var bytes = allocator.buffer(
            capacity: Self.typicalBytes + fields.utf8.count + body.readableBytes)
        writeHead(status, contentType, &bytes)
        if !fields.isEmpty { bytes.writeString(fields) }
        bytes.writeStaticString("content-length: ")
        finish(&bytes, connection, isHead: isHead)
        return Answer(status: status, bytes: bytes)
    }

    /// The answer to a batch that is committed, which is the hot path, or on disk and not in the
    /// database yet.
    ///
    /// - Parameter contentType: nil if the request had none.
    mutating func answer(
        isCommitted: Bool, _ connection: ConnectionHeader, spooledStatus: Int,
        contentType: String?, body write: (inout ByteBuffer) -> Void
    ) -> Answer {
        let contentType = contentType ?? Self.json
        guard isCommitted, contentType == Self.json else {
            let promise = isCommitted ? durability.rawValue : "spooled"
            return answer(
                isCommitted ? 200 : spooledStatus, connection, contentType: contentType,
                fields: "x-durability: \(promise)\r\n", body: write)
        }
        body.clear()
        write(&body)
        var bytes = allocator.buffer(
            capacity: committedHead.readableBytes + body.readableBytes + 64)
        bytes.writeImmutableBuffer(committedHead)
        finish(&bytes, connection, isHead: false)
        return Answer(status: 200, bytes: bytes)
    }

    private func writeHead(
        _ status: Int, _ contentType: String = json, _ bytes: inout ByteBuffer
    ) {
        bytes.writeStaticString("HTTP/1.1 ")
        bytes.writeDecimal(status)
        bytes.writeStaticString(" ")
        bytes.writeStaticString(Self.reason(status))
        bytes.writeStaticString("\r\ndate: ")
        bytes.writeString(date.text)
        bytes.writeStaticString("\r\ncontent-type: ")
        bytes.writeString(contentType)
        bytes.writeStaticString("\r\n")
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
