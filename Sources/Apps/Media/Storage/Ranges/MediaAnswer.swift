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

/// The range that a `Range` header requests from a representation of known length.
///
/// One range is served. A request for several ranges gets the whole file, as RFC 9110 allows. That
/// costs less than a multipart answer, which hardly any client can read.
///
/// - Source: RFC 9110, section 14.
public enum ByteRange: Sendable, Equatable {
    /// No valid range, or several: 200 with the whole file.
    case whole
    /// 206 with these bytes, at least one.
    case part(Range<Int>)
    /// 416: the file has no byte of the range.
    case unsatisfiable

    /// - Parameters:
    ///   - field: the header's value.
    ///   - bytes: the representation's length.
    public init(_ field: String, bytes: Int) {
        self = Self.parse(field, bytes: bytes) ?? .whole
    }

    /// `bytes first-last/length` for 206, `bytes */length` for 416; nil for the whole.
    public func contentRange(bytes: Int) -> String? {
        switch self {
        case .whole: nil
        case .part(let range): "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes)"
        case .unsatisfiable: "bytes */\(bytes)"
        }
    }

    private static func parse(_ field: String, bytes: Int) -> Self? {
        let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2,
            String(halves[0]).trimmingSpaces().lowercased() == "bytes",
            !halves[1].contains(",")
        else { return nil }
        let text = String(halves[1]).trimmingSpaces()
        guard let hyphen = text.firstIndex(of: "-") else { return nil }
        let (first, last) = (text[..<hyphen], text[text.index(after: hyphen)...])
        if first.isEmpty {
            guard let count = number(last) else { return nil }
            guard count > 0, bytes > 0 else { return .unsatisfiable }
            return .part(max(0, bytes - count)..<bytes)
        }
        guard let start = number(first) else { return nil }
        guard !last.isEmpty else {
            return start < bytes ? .part(start..<bytes) : .unsatisfiable
        }
        guard let end = number(last), end >= start else { return nil }
        return start < bytes ? .part(start..<min(end, bytes - 1) + 1) : .unsatisfiable
    }

    /// Digits only. A number too large for an integer becomes the largest integer.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }
}

/// A strong entity tag.
///
/// - Source: RFC 9110, section 8.8.3.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// Including the quotes, as in the header.
    public let text: String

    /// Uses the digest's first 32 digits, so equal contents have equal tags under every path.
    public init(digest: MediaDigest) {
        text = "\"\(digest.hex.prefix(32))\""
    }

    /// The same as ``text``.
    public var description: String { text }

    /// Whether an `If-None-Match` field matches this tag (weak comparison). Then the answer is 304.
    public func matches(ifNoneMatch field: String) -> Bool {
        tags(field).contains { $0 == "*" || $0 == text || $0 == "W/" + text }
    }

    /// Whether an `If-Match` field matches this tag. Otherwise the answer is 412.
    public func matches(ifMatch field: String) -> Bool {
        tags(field).contains { $0 == "*" || $0 == text }
    }

    /// Whether an `If-Range` field matches this tag (strong comparison). Then a range is served. A
    /// date never matches, because this server sends no strong dates.
    public func matches(ifRange field: String) -> Bool {
        field.trimmingSpaces() == text
    }

    /// The members of a list. This server's tags contain no comma. A foreign tag with a comma is
    /// split, but its pieces can't match.
    private func tags(_ field: String) -> [String] {
        field.split(separator: ",").map { String($0).trimmingSpaces() }
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
