import Readings
import Synchronization

/// The keys of one setting: comma-separated, so that an old and a new key can overlap during a
/// rotation.
///
/// Spaces around a key and empty entries are dropped, so neither `a,,b`, nor `a, b`, nor a trailing
/// comma adds an empty key. A key that no HTTP header could carry is a fault. The fault gives the
/// key's position, not its text.
public struct ConfiguredKeys: Sendable {
    /// Maximum length of a key in bytes, also of a presented one.
    public static let keyBytesMax = 256

    /// What is wrong with an entry; `position` counts from 1.
    public enum Fault: Error, Equatable, Sendable {
        /// Something other than printable ASCII.
        case notPrintable(position: Int)
        /// More than ``ConfiguredKeys/keyBytesMax`` bytes.
        case tooLong(position: Int)
    }

    /// No keys.
    public static let none = ConfiguredKeys()

    let digests: [KeyDigest]

    /// Number of distinct keys.
    public var count: Int { digests.count }

    /// - Parameter list: the value of the setting; nil and blank mean no keys.
    public init(_ list: String?) throws(Fault) {
        var digests: [KeyDigest] = []
        let entries = (list ?? "").split(separator: ",", omittingEmptySubsequences: false)
        for (index, entry) in entries.enumerated() {
            let key = Self.trimmed(entry)
            if key.isEmpty { continue }
            guard key.utf8.count <= Self.keyBytesMax else { throw .tooLong(position: index + 1) }
            guard key.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                throw .notPrintable(position: index + 1)
            }
            let digest = KeyDigest(of: String(key))
            if !digests.contains(digest) { digests.append(digest) }
        }
        self.digests = digests
    }

    private init() {
        digests = []
    }

    private static func trimmed(_ entry: Substring) -> Substring {
        let space: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
        var entry = entry.drop(while: space)
        while let last = entry.last, space(last) { entry.removeLast() }
        return entry
    }
}
