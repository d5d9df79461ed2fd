import Encodings
public import Inspections

/// A finished upload: durable, and not yet named by a row.
///
/// The row must be committed within ``MediaStore/graceTime`` of `finish()`; later the sweeper may
/// have removed the object. If more time may have passed, call ``MediaStore/renew(_:)`` first.
public struct StoredObject: Sendable, Equatable {
    /// The name that the row stores to find the object.
    public let name: ObjectName
    /// The length in bytes.
    public let bytes: Int
    /// The type detected from the first bytes; nil when it is unknown.
    public let type: MediaType?

    /// For stores, and for tests of their users.
    public init(name: ObjectName, bytes: Int, type: MediaType?) {
        self.name = name
        self.bytes = bytes
        self.type = type
    }

    /// SHA-256 of the bytes.
    public var digest: MediaDigest { name.digest }
}
