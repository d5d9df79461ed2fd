import Encodings

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

/// What a store calls one stored content: its digest in hexadecimal, in a bucket followed by a
/// hyphen and 16 digits that no other upload has.
///
/// Nothing else can be written as one, so no name leads out of a store.
public struct ObjectName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// As the table keeps it.
    public let text: String

    /// - Returns: nil for what no store ever called an object.
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

    /// The first two digits: which of a store's 256 directories the object is in.
    var directory: String { String(text.prefix(2)) }
    /// What follows them: the file's name there.
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

    /// In the order of the bytes.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// A piece of the list of objects that are not young.
public struct ObjectPage: Sendable, Equatable {
    /// In the order of their names.
    public let objects: [ObjectName]
    /// Where the next page begins: after this one. Nil when there is none.
    public let next: ObjectName?

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

    /// The 32 bytes, as the table keeps them.
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
