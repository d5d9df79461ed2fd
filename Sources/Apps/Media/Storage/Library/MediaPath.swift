import Encodings

/// The name under which a file is served: `memories/{capture_id}/photo.jpg`, or with `~` and 16 digits
/// behind the id where that is somebody else's (`sluice.store_capture_file`).
///
/// It is a row's key and never a path in a file system. Even so nothing is let in that would be one
/// to a client or a proxy: each component has 1 to 145 letters, digits, `-`, `_`, `.` or `~` (the
/// characters that stand unescaped in every URL) and does not begin with a dot.
public struct MediaPath: Hashable, Sendable, CustomStringConvertible {
    /// Characters of a component at most: of an id, a tilde and 16 digits.
    public static let componentLengthMax = 145
    /// Components at most.
    public static let componentCountMax = 4

    /// Components with slashes between them, none before and none behind.
    public let text: String

    /// - Parameter text: as it came in a URL's path, decoded.
    /// - Returns: nil for anything but 1 to ``componentCountMax`` components as above.
    public init?(_ text: String) {
        let components = text.split(separator: "/", omittingEmptySubsequences: false)
        guard components.count <= Self.componentCountMax,
            components.allSatisfy(Self.isComponent)
        else { return nil }
        self.text = text
    }

    /// The key of the capture whose file this is; nil for a path of another kind.
    public var captureID: String? {
        let parts = text.split(separator: "/")
        guard parts.count == 3, parts[0] == "memories" else { return nil }
        return String(parts[1])
    }

    /// Whether a text may be one component.
    public static func isComponent(_ text: some StringProtocol) -> Bool {
        (1...componentLengthMax).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }

    /// The same as ``text``.
    public var description: String { text }
}
