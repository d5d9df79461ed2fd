/// What is to be done, without to what: the name that jobs and their handler have in common.
public struct JobKind: Hashable, Sendable {
    /// As it stands in the table, for example `capture.analyse`; at most 128 characters.
    public let name: String

    /// - Parameter name: kept from version to version, for jobs of before are still in the table.
    public init(_ name: String) {
        precondition((1...128).contains(name.count), "BUG: kind \(name)")
        self.name = name
    }
}

extension JobKind: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
