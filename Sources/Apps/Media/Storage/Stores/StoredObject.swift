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

/// The name of a stored object: its digest in hexadecimal; in a bucket followed by a hyphen and 16
/// hexadecimal digits that are unique to the upload.
///
/// No other text is accepted, so no name leads out of a store.
public struct ObjectName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The form in the table.
    public let text: String

    /// - Returns: nil for a text that is not an object's name.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard MediaDigest(hex: parts[0]) != nil else { return nil }
        if parts.count == 2 {
            guard parts[1].utf8.count == 16,
                parts[1].utf8.allSatisfy({ Hexadecimal.value($0) != nil })
            else { return nil }
        }
        self.text = text
    }

    init(_ digest: MediaDigest, nonce: UInt64? = nil) {
        guard let nonce else {
            text = digest.hex
            return
        }
        text =
            digest.hex + "-"
            + Hexadecimal.text(withUnsafeBytes(of: nonce.bigEndian) { Array($0) })
    }

    /// The first two digits: the name of the object's directory, one of a store's 256.
    var directory: String { String(text.prefix(2)) }
    /// The rest: the file's name in the directory.
    var file: String { String(text.dropFirst(2)) }

    /// SHA-256 of the content.
    public var digest: MediaDigest {
        guard let digest = MediaDigest(hex: text.prefix(2 * MediaDigest.byteCount)) else {
            preconditionFailure("BUG: object \(text)")
        }
        return digest
    }

    /// The same as ``text``.
    public var description: String { text }

    /// Compares the texts, byte by byte.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// A page of the list of objects that are not young.
public struct ObjectPage: Sendable, Equatable {
    /// Sorted by name.
    public internal(set) var objects: [ObjectName]
    /// The next page begins after this name. Nil on the last page.
    public internal(set) var next: ObjectName?
    /// Objects and directories that could not be looked at.
    var failures: [Failure] = []

    struct Failure: Sendable, Equatable {
        let item: String
        let error: MediaStoreError
    }

    /// - Parameter next: nil for the last page.
    public init(objects: [ObjectName], next: ObjectName?) {
        self.objects = objects
        self.next = next
    }
}

/// SHA-256 of a file's bytes.
public struct MediaDigest: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of a digest.
    public static let byteCount = 32

    /// The 32 bytes, as in the table.
    public let bytes: [UInt8]

    /// - Returns: nil unless there are exactly ``byteCount`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// - Returns: nil unless `hex` is 64 hexadecimal digits in lower case.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(hex), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits in lower case.
    public var hex: String { Hexadecimal.text(bytes) }

    /// The same as ``hex``.
    public var description: String { hex }
}
