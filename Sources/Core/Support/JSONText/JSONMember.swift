/// A key of an object and its value.
public struct JSONMember: Equatable, Sendable {
    /// Unescaped.
    public let key: String
    /// Any.
    public let value: JSONValue

    /// - Parameter key: unescaped.
    public init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}
