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
