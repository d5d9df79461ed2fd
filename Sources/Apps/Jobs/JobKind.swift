import Postgres
import Readings

/// The kind of work: the name that connects jobs with their handler.
public struct JobKind: Hashable, Sendable {
    /// As stored in the table, for example `capture.analyse`; at most 128 characters.
    public let name: String

    /// - Parameter name: must not change: jobs of an earlier version may still be in the table.
    public init(_ name: String) {
        precondition((1...128).contains(name.count), "BUG: kind \(name)")
        self.name = name
    }
}

extension JobKind: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
