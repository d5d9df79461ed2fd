import Glibc

/// Parses answers in received bytes: the status line, the few head lines that are needed, a body
/// with a `Content-Length`.
///
/// - Source: RFC 9112, sections 4 to 6. An answer with `Transfer-Encoding` is broken: answers to a
///   batch are short and sent in one piece.
struct AnswerParser {
    enum Result {
        /// More bytes are needed.
        case incomplete
        /// `100 Continue`; its head has `bytes` bytes.
        case proceed(bytes: Int)
        case answer(status: Int, retryAfterSeconds: Int?, head: Int, body: Int, closes: Bool)
        /// Not HTTP as this client understands it.
        case broken
    }

    /// A longer head is broken.
    static let headBytesMax = 16 * 1024

    static func parse(_ bytes: UnsafeRawBufferPointer) -> Result {
        guard bytes.count >= 16, let start = bytes.baseAddress else { return .incomplete }
        guard memcmp(start, "HTTP/1.", 7) == 0, let status = number(bytes, at: 9, digits: 3) else {
            return .broken
        }
        guard let head = headBytes(bytes) else {
            return bytes.count > headBytesMax ? .broken : .incomplete
        }
        if status == 100 { return .proceed(bytes: head) }
        var length: Int?
        var retryAfter: Int?
        var closes = false
        var line = 12
        while line < head - 2 {
            // From the end of one line to the start of the next.
            guard let end = memchr(start + line, 0x0A, head - line) else { return .broken }
            line = start.distance(to: UnsafeRawPointer(end)) + 1
            guard line < head - 2 else { break }
            switch bytes[line] | 0x20 {
            case UInt8(ascii: "c"):
                if let value = field("content-length:", bytes, line) {
                    length = number(bytes, at: value)
                } else if let value = field("connection:", bytes, line) {
                    closes = bytes[value] | 0x20 == UInt8(ascii: "c")
                }
            case UInt8(ascii: "r"):
                if let value = field("retry-after:", bytes, line) {
                    retryAfter = number(bytes, at: value)
                }
            case UInt8(ascii: "t"):
                if field("transfer-encoding:", bytes, line) != nil { return .broken }
            default: break
            }
        }
        guard let body = length ?? (status == 204 ? 0 : nil) else { return .broken }
        guard bytes.count >= head + body else { return .incomplete }
        return .answer(
            status: status, retryAfterSeconds: retryAfter, head: head, body: body, closes: closes)
    }

    /// The size of the head, including the empty line.
    private static func headBytes(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        var line = 0
        while line < bytes.count, let end = memchr(start + line, 0x0A, bytes.count - line) {
            line = start.distance(to: UnsafeRawPointer(end)) + 1
            guard line + 1 < bytes.count else { return nil }
            if bytes[line] == 0x0D, bytes[line + 1] == 0x0A { return line + 2 }
        }
        return nil
    }

    /// The start of the value if the line at `line` has that field name.
    private static func field(
        _ name: StaticString, _ bytes: UnsafeRawBufferPointer, _ line: Int
    ) -> Int? {
        let length = name.utf8CodeUnitCount
        guard line + length < bytes.count else { return nil }
        for place in 0..<length {
            let byte = bytes[line + place]
            let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            guard (isUpper ? byte | 0x20 : byte) == name.utf8Start[place] else { return nil }
        }
        var value = line + length
        while value < bytes.count - 1, bytes[value] == 0x20 { value += 1 }
        return value
    }

    private static func number(
        _ bytes: UnsafeRawBufferPointer, at start: Int, digits digitsMax: Int = 9
    ) -> Int? {
        var value = 0
        var digits = 0
        while digits < digitsMax, start + digits < bytes.count {
            let digit = bytes[start + digits] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value * 10 + Int(digit)
            digits += 1
        }
        return digits > 0 ? value : nil
    }
}
