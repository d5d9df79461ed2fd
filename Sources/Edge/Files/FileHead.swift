/// The head of a GET for a stored file, recognised in the received bytes.
///
/// As with ``IngestHead/recognise(_:bytesMax:fieldsMax:)`` only a strict subset of RFC 9112 is
/// usual: a path of one of the two forms below in which nothing is encoded, lines as ``FieldLine``
/// says, no body, and nothing that says that the connection is anything special. What is recognised
/// is a ``FileFetch`` to those who look at what the HTTP decoder makes of it, and the same one.
enum FileHead {
    enum Recognition {
        /// It takes `bytes`.
        case head(FileWanted, bytes: Int)
        /// Nothing wrong with it so far.
        case incomplete
        /// Anything else: the HTTP decoder has to look at it.
        case unusual
    }

    private static let method: StaticString = "GET "

    /// - Parameters:
    ///   - bytes: what has come since the end of the request before.
    ///   - bytesMax: of a usual head.
    ///   - fieldsMax: of a usual head.
    /// - Complexity: O(bytes of the head).
    static func recognise(_ bytes: RawSpan, bytesMax: Int, fieldsMax: Int) -> Recognition {
        guard bytes.continues(at: 0, with: method) else { return .unusual }
        let start = method.utf8CodeUnitCount
        guard bytes.byteCount > start else { return .incomplete }
        let route: Route
        let pathEnd: Int
        switch FilePath(bytes, from: start) {
        case .other: return .unusual
        case .incomplete: return bytes.byteCount < bytesMax ? .incomplete : .unusual
        case .of(let known, let place): (route, pathEnd) = (known, place)
        }
        var fields = FileFields()
        var count = 0
        var line = pathEnd + FilePath.version.utf8CodeUnitCount
        while true {
            switch FieldLine(bytes, from: line, before: bytesMax) {
            case .unusual:
                return .unusual
            case .incomplete:
                return bytes.byteCount < bytesMax ? .incomplete : .unusual
            case .empty(let end):
                guard let credentials = fields.credentials else { return .unusual }
                let wanted = FileWanted(
                    route: route, path: String(decoding: bytes, start..<pathEnd),
                    credentials: credentials)
                return .head(wanted, bytes: end)
            case .field(let field):
                count += 1
                guard count <= fieldsMax, take(field, of: bytes, into: &fields) else {
                    return .unusual
                }
                line = field.end
            }
        }
    }

    /// - Returns: false if it makes the head an unusual one.
    private static func take(
        _ field: FieldLine.Field, of bytes: RawSpan, into fields: inout FileFields
    ) -> Bool {
        func isNamed(_ name: StaticString) -> Bool { bytes.isField(name, at: field.name) }
        switch field.name.count {
        case 10 where isNamed("connection"):
            return bytes.isField("keep-alive", at: field.value)
        case 14 where isNamed("content-length"), 16 where isNamed("proxy-connection"):
            return false
        default:
            return fields.take(
                FileField(length: field.name.count, isNamed: isNamed),
                String(decoding: bytes, field.value))
        }
    }
}
