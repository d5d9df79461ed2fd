/// Objections counted by kind, with the first few of each kind in full.
public struct Objections: Sendable {
    /// More of a kind are only counted.
    public static let keptOfEachKind = 5

    /// By kind.
    public private(set) var counts: [String: Int] = [:]
    /// The first of each kind.
    public private(set) var kept: [Objection] = []

    /// Whether there are none.
    public var isEmpty: Bool { counts.isEmpty }

    /// Counts one.
    public mutating func add(_ objection: Objection) {
        let count = (counts[objection.kind] ?? 0) + 1
        counts[objection.kind] = count
        if count <= Self.keptOfEachKind { kept.append(objection) }
    }

    mutating func add(_ others: Objections) {
        counts.merge(others.counts) { $0 + $1 }
        kept += others.kept
    }

    /// One line for each kind, and one for each objection that was kept.
    public var lines: [String] {
        counts.sorted { $0.key < $1.key }.flatMap { kind, count in
            ["\(count) × \(kind)"] + kept.filter { $0.kind == kind }.map { "    \($0)" }
        }
    }
}
