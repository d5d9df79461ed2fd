import Synchronization

/// A table that is embedded in the binary.
public struct BuiltInTable: Sendable {
    /// The table's name, version and columns.
    public let form: TableForm
    /// The bytes of the whole file.
    public let bytes: [UInt8]

    /// - Parameter bytes: the embedded file.
    public init(_ form: TableForm, _ bytes: [UInt8]) {
        self.form = form
        self.bytes = bytes
    }
}
