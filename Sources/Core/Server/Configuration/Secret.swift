/// A text that may be used but never shown.
public struct Secret: Sendable, Equatable {
    private let text: String

    /// Hides `text` from descriptions, dumps and errors.
    public init(_ text: String) {
        self.text = text
    }

    /// The text itself; the caller must protect it.
    public func revealed() -> String {
        text
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
