import Encodings

/// The path of a served file: `memories/{capture_id}/photo.jpg`. If that path is another user's,
/// the id is followed by `~` and 16 digits (`sluice.store_capture_file`).
///
/// It is the key of a row and never a path in a file system. Even so, nothing is accepted that a
/// client or a proxy could take for a special path. Each component has 1 to 145 letters, digits,
/// `-`, `_`, `.` or `~` (the characters that need no escaping in a URL) and does not begin with a
/// dot.
public struct MediaPath: Hashable, Sendable, CustomStringConvertible {
    /// The most characters of a component: an id, a tilde and 16 digits.
    public static let componentLengthMax = 145
    /// The most components.
    public static let componentCountMax = 4

    /// The components, separated by slashes; no leading or trailing slash.
    public let text: String

    /// - Parameter text: the decoded path from a URL.
    /// - Returns: nil for anything but 1 to ``componentCountMax`` components as described above.
    public init?(_ text: String) {
        let components = text.split(separator: "/", omittingEmptySubsequences: false)
        guard components.count <= Self.componentCountMax,
            components.allSatisfy(Self.isComponent)
        else { return nil }
        self.text = text
    }

    /// The key of the capture that the file belongs to; nil for a path of another kind.
    public var captureID: String? {
        let parts = text.split(separator: "/")
        guard parts.count == 3, parts[0] == "memories" else { return nil }
        return String(parts[1])
    }

    /// Whether a text is a valid component.
    public static func isComponent(_ text: some StringProtocol) -> Bool {
        (1...componentLengthMax).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }

    /// The same as ``text``.
    public var description: String { text }
}
