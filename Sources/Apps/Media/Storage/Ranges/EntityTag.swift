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
