/// How a GET or HEAD for a stored file is answered, decided from its conditions alone.
///
/// - Source: RFC 9110, section 13.2.2: the order in which conditions are looked at.
public enum MediaAnswer: Sendable, Equatable {
    /// 200 and everything.
    case whole
    /// 206 and these bytes.
    case part(Range<Int>)
    /// 304, without a body.
    case notModified
    /// 412.
    case preconditionFailed
    /// 416, with `Content-Range: bytes */length`.
    case rangeNotSatisfiable

    /// The last four parameters are the header fields of these names, nil where they are absent;
    /// fields that come several times are joined by commas.
    ///
    /// - Parameters:
    ///   - bytes: the file's length.
    ///   - etag: the file's tag.
    ///   - isGet: ranges are for GET only.
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

    /// The bytes to send after the head; nil for no body.
    public func body(bytes: Int) -> Range<Int>? {
        switch self {
        case .whole: 0..<bytes
        case .part(let range): range
        case .notModified, .preconditionFailed, .rangeNotSatisfiable: nil
        }
    }

    /// The `Content-Range` field of 206 and 416.
    public func contentRange(bytes: Int) -> String? {
        switch self {
        case .part(let range): ByteRange.part(range).contentRange(bytes: bytes)
        case .rangeNotSatisfiable: ByteRange.unsatisfiable.contentRange(bytes: bytes)
        case .whole, .notModified, .preconditionFailed: nil
        }
    }
}
