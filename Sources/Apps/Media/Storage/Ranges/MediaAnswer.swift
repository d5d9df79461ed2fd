/// The answer to a GET or HEAD for a stored file, decided from the request's conditions alone.
///
/// - Source: RFC 9110, section 13.2.2: the order in which conditions are evaluated.
public enum MediaAnswer: Sendable, Equatable {
    /// 200 with the whole file.
    case whole
    /// 206 with these bytes.
    case part(Range<Int>)
    /// 304, without a body.
    case notModified
    /// 412.
    case preconditionFailed
    /// 416, with `Content-Range: bytes */length`.
    case rangeNotSatisfiable

    /// The last four parameters are the header fields with these names; nil when absent. Repeated
    /// fields are joined by commas.
    ///
    /// - Parameters:
    ///   - bytes: the file's length.
    ///   - etag: the file's tag.
    ///   - isGet: false for HEAD, for which ranges are ignored.
    public init(
        bytes: Int, etag: EntityTag, isGet: Bool = true, ifMatch: String? = nil,
        ifNoneMatch: String? = nil, range: String? = nil, ifRange: String? = nil
    ) {
        if let ifMatch, !etag.matches(ifMatch: ifMatch) {
            self = .preconditionFailed
        } else if let ifNoneMatch, etag.matches(ifNoneMatch: ifNoneMatch) {
            self = .notModified
        } else if isGet, let range, ifRange.map(etag.matches(ifRange:)) ?? true {
            switch ByteRange(range, bytes: bytes) {
            case .whole: self = .whole
            case .part(let range): self = .part(range)
            case .unsatisfiable: self = .rangeNotSatisfiable
            }
        } else {
            self = .whole
        }
    }

    /// 200, 206, 304, 412 or 416.
    public var status: Int {
        switch self {
        case .whole: 200
        case .part: 206
        case .notModified: 304
        case .preconditionFailed: 412
        case .rangeNotSatisfiable: 416
        }
    }

    /// The bytes to send after the head; nil when the answer has no body.
    public func body(bytes: Int) -> Range<Int>? {
        switch self {
        case .whole: 0..<bytes
        case .part(let range): range
        case .notModified, .preconditionFailed, .rangeNotSatisfiable: nil
        }
    }

    /// The `Content-Range` field of a 206 or 416 answer.
    public func contentRange(bytes: Int) -> String? {
        switch self {
        case .part(let range): ByteRange.part(range).contentRange(bytes: bytes)
        case .rangeNotSatisfiable: ByteRange.unsatisfiable.contentRange(bytes: bytes)
        case .whole, .notModified, .preconditionFailed: nil
        }
    }
}

extension String {
    func trimmingSpaces() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = self[...].drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }
}
