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
