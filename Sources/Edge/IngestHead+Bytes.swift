/// The quick way for a head: recognised in the received bytes, without a header table.
extension IngestHead {
    enum Recognition {
        /// One that the HTTP decoder would understand in the same way; it takes `bytes`.
        case head(IngestHead, bytes: Int)
        /// Nothing wrong with it so far.
        case incomplete
        /// Anything that is not plainly a usual head: the HTTP decoder has to look at it.
        case unusual
    }

    /// Only this exact first line is usual.
    private static let firstLine: StaticString = "POST /ingest HTTP/1.1\r\n"

    /// - Parameters:
    ///   - bytes: what has come since the end of the request before.
    ///   - bytesMax: of a usual head.
    ///   - fieldsMax: of a usual head.
    ///
    /// What is recognised is a strict subset of RFC 9112: lines are as ``FieldLine`` says, exactly
    /// one `Content-Length` says how long the body is, one `Host` whom it is for, and nothing says that the connection or the
    /// body is anything special. So there is nothing that two readers could understand differently.
    ///
    /// - Complexity: O(bytes of the head).
    static func recognise(_ bytes: RawSpan, bytesMax: Int, fieldsMax: Int) -> Recognition {
        let start = firstLine.utf8CodeUnitCount
        guard bytes.continues(at: 0, with: firstLine) else { return .unusual }
        guard bytes.byteCount > start else { return .incomplete }
        var head = IngestHead(bodyOfBytes: 0)
        var hasLength = false
        var fields = 0
        var line = start
        while true {
            switch FieldLine(bytes, from: line, before: bytesMax) {
            case .unusual:
                return .unusual
            case .incomplete:
                return bytes.byteCount < bytesMax ? .incomplete : .unusual
            case .empty(let end):
                return hasLength && head.hosts == 1 ? .head(head, bytes: end) : .unusual
            case .field(let field):
                fields += 1
                guard fields <= fieldsMax, head.take(field, of: bytes, &hasLength) else {
                    return .unusual
                }
                line = field.end
            }
        }
    }

    /// - Returns: false if it makes the head an unusual one.
    private mutating func take(
        _ field: FieldLine.Field, of bytes: RawSpan, _ hasLength: inout Bool
    ) -> Bool {
        func isNamed(_ name: StaticString) -> Bool { bytes.isField(name, at: field.name) }
        func text() -> String { String(decoding: bytes, field.value) }
        switch field.name.count {
        case 4 where isNamed("host"):
            takeHost(
                isValid: field.value.allSatisfy { HostValue.isValid(CollectionOfOne(bytes[$0])) })
            return hosts == 1
        case 6:
            return !isNamed("expect")
        case 7:
            return !isNamed("upgrade")
        case 9 where isNamed("x-api-key"):
            takeKey(text())
        case 10 where isNamed("connection"):
            return bytes.isField("keep-alive", at: field.value)
        case 12 where isNamed("content-type"):
            takeContentType(
                isJSON: bytes.isField("application/json", at: field.value) || Self.isJSON(text()))
        case 14 where isNamed("content-length"):
            guard !hasLength, let length = bytes.decimal(at: field.value) else { return false }
            hasLength = true
            framing.declaredBytes = length
        case 15 where isNamed("idempotency-key"):
            takeIdempotencyKey(bytes: field.value.count)
        case 16 where isNamed("content-encoding"):
            addEncodings(text())
        case 16:
            return !isNamed("proxy-connection")
        case 17:
            return !isNamed("transfer-encoding")
        default:
            break
        }
        return true
    }
}
