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

/// What a `Range` header asks of a representation of known length.
///
/// One range is served. Several are answered with the whole, which RFC 9110 allows and which costs
/// less than the multipart answer that hardly any client reads.
/// - Source: RFC 9110, section 14.
public enum ByteRange: Sendable, Equatable {
    /// No range, none that is understood, or several: 200 and everything.
    case whole
    /// 206 and these bytes, never none.
    case part(Range<Int>)
    /// 416: nothing of what is asked for exists.
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

    /// Digits only; what is too large for an integer is as good as the largest.
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
    /// With its quotes, as the header has it.
    public let text: String

    /// The digest's first 32 digits: equal bytes have equal tags, wherever they are served.
    public init(digest: MediaDigest) {
        text = "\"\(digest.hex.prefix(32))\""
    }

    /// The same as ``text``.
    public var description: String { text }

    /// Whether an `If-None-Match` names this tag, so that 304 is the answer: compared weakly.
    public func matches(ifNoneMatch field: String) -> Bool {
        tags(field).contains { $0 == "*" || $0 == text || $0 == "W/" + text }
    }

    /// Whether an `If-Match` names this tag; if not, 412 is the answer.
    public func matches(ifMatch field: String) -> Bool {
        tags(field).contains { $0 == "*" || $0 == text }
    }

    /// Whether an `If-Range` names this tag, so that a range is served: compared strongly. A date
    /// never does: this server sends no strong dates.
    public func matches(ifRange field: String) -> Bool {
        field.trimmingSpaces() == text
    }

    /// The members of a list. Tags of this server hold no comma; another's that do can't match.
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
