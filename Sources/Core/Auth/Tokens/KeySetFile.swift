import Encodings
import FoundationEssentials

/// A JWKS document in a file.
struct KeySetFile: Sendable {
    /// The attributes that change when a file is written or replaced.
    struct Mark: Equatable, Sendable {
        let modified: Date?
        let bytes: UInt64?
        let inode: UInt64?
    }

    let path: String

    /// Maximum size of the file: a hundred times what the largest providers publish.
    static let bytesMax = 1 << 20

    /// nil: the file does not exist or its attributes can't be read.
    func mark() -> Mark? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
            return nil
        }
        return Mark(
            modified: attributes[.modificationDate] as? Date,
            bytes: Self.number(attributes[.size]),
            inode: Self.number(attributes[.systemFileNumber]))
    }

    /// The target of a symbolic link. It is what changes when secrets are mounted that way.
    private var resolved: String {
        URL(filePath: path).resolvingSymlinksInPath().path
    }

    private static func number(_ value: Any?) -> UInt64? {
        if let number = value as? UInt64 { return number }
        return (value as? Int).map(UInt64.init)
    }

    /// - Throws: why the file can't be used; the error never contains any of its contents.
    func read() async throws(AccessFault) -> KeySet {
        guard let mark = mark(), let bytes = mark.bytes, bytes <= Self.bytesMax,
            let contents = FileManager.default.contents(atPath: path)
        else {
            throw .keysUnreadable(path: path)
        }
        guard let set = KeySet(json: [UInt8](contents)) else {
            throw .keysMalformed(path: path)
        }
        guard !set.keys.isEmpty else { throw .noUsableKey(path: path) }
        return set
    }
}
