internal import Glibc

/// Units of records, counted by kind.
public struct UnitTally: Sendable, Equatable {
    /// Without zeros, so that equal tallies are equal.
    private var counts: [RecordKind: Int] = [:]

    /// An empty tally.
    init() {}

    /// Units of all kinds.
    public var total: Int { counts.values.reduce(0, +) }

    /// Units of one kind.
    public subscript(kind: RecordKind) -> Int { counts[kind] ?? 0 }

    mutating func add(_ units: Int, of kind: RecordKind) {
        let sum = self[kind] + units
        precondition(sum >= 0, "BUG: units=\(sum)")
        counts[kind] = sum == 0 ? nil : sum
    }

    static func += (left: inout UnitTally, right: UnitTally) {
        for (kind, units) in right.counts { left.add(units, of: kind) }
    }
}
