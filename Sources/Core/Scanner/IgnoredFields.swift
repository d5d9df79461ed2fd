/// Fields of a batch that nothing reads: unknown ones, and those that readings of their kind don't
/// have. A null is no field, and a quarantined reading keeps all of its own.
///
/// - Limit: the first ``namesMax`` names, of fewer than ``nameBytesMax`` bytes as sent; all are
///   counted.
public struct IgnoredFields: Equatable, Sendable {
    /// How many values there were.
    public private(set) var count = 0
    /// The first names, each once. Those of the envelope's `metadata` begin with `metadata.`.
    public private(set) var names: [String] = []

    /// Nothing was ignored.
    public init() {}

    /// The most names that an answer has.
    public static let namesMax = 8
    /// A name of so many bytes or more is counted only.
    static let nameBytesMax = 64

    /// Adds a field under an unknown key.
    ///
    /// - Complexity: O(names), and no allocation for a name that is known already.
    mutating func add(_ key: JSONCursor.Text, _ window: Window, inside prefix: String = "") {
        count += 1
        guard names.count < Self.namesMax, key.range.count < Self.nameBytesMax else { return }
        let text = window.text(key.range)
        guard key.isEscaped else { return addName(text, inside: prefix) }
        let unescaped = Unescaped(text)
        guard !unescaped.hasUnpairedSurrogate else { return }
        unescaped.bytes.withUnsafeBufferPointer { addName($0, inside: prefix) }
    }

    /// Adds a known field of a kind that does not have it.
    mutating func add(_ key: [UInt8]) {
        count += 1
        guard names.count < Self.namesMax else { return }
        key.withUnsafeBufferPointer { addName($0, inside: "") }
    }

    /// Adds fields that are counted only.
    mutating func add(unnamed count: Int) { self.count += count }

    /// Adds those of an envelope.
    mutating func add(_ others: IgnoredFields) {
        count += others.count
        for name in others.names where names.count < Self.namesMax {
            if !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { names.append(name) }
        }
    }

    private mutating func addName(_ bytes: UnsafeBufferPointer<UInt8>, inside prefix: String) {
        let isKnown = names.contains { name in
            let rest = name.utf8.dropFirst(prefix.utf8.count)
            return rest.count == bytes.count && rest.elementsEqual(bytes)
                && name.utf8.starts(with: prefix.utf8)
        }
        if !isKnown { names.append(prefix + String(decoding: bytes, as: UTF8.self)) }
    }
}
