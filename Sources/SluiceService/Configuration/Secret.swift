/// A text that may be used and never shown.
public struct Secret: Sendable, Equatable {
    private let text: String

    /// Hides `text` from descriptions, dumps and errors from here on.
    public init(_ text: String) {
        self.text = text
    }

    /// The text itself; whoever calls this decides who sees it.
    public func revealed() -> String {
        text
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    /// Says that there is one.
    public var description: String { "(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
