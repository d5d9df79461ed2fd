/// What an upload became: durable, and named by no row yet.
///
/// The row must be committed within ``MediaStore/graceTime`` of `finish()`, or the sweeper may have
/// taken the object. Whoever can't be sure asks ``MediaStore/renew(_:)`` first.
public struct StoredObject: Sendable, Equatable {
    /// What the row keeps to find it again.
    public let name: ObjectName
    /// How many bytes were written.
    public let bytes: Int
    /// What the first bytes say it is; nil when they say nothing that the server knows.
    public let type: MediaType?

    /// For a store, and for tests of what uses one.
    public init(name: ObjectName, bytes: Int, type: MediaType?) {
        self.name = name
        self.bytes = bytes
        self.type = type
    }

    /// SHA-256 of the bytes.
    public var digest: MediaDigest { name.digest }
}
