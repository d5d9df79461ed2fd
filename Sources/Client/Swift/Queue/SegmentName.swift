import Foundation

/// The name of a segment: a number that grows, and which halves of it were cut, such as
/// `1795818373208863-0-1`.
///
/// Segments are sent in the order of their names; a half stands where the whole stood.
struct SegmentName: Hashable, Comparable, Sendable {
    /// Microseconds since 1970 when the segment was begun, or more: never used twice in a queue.
    let number: UInt64
    /// For each cut, 0 or 1.
    let cuts: [Int]

    init(number: UInt64, cuts: [Int] = []) {
        self.number = number
        self.cuts = cuts
    }

    /// Nil unless the text is a name.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, first.count == 16, let number = UInt64(first) else {
            return nil
        }
        let cuts = parts.dropFirst().compactMap { ["0": 0, "1": 1][String($0)] }
        guard cuts.count == parts.count - 1 else { return nil }
        self.init(number: number, cuts: cuts)
    }

    var text: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
            + cuts.map { "-\($0)" }.joined()
    }

    /// The two names of its halves.
    var halves: [SegmentName] { [0, 1].map { SegmentName(number: number, cuts: cuts + [$0]) } }

    /// The names of what it was cut from, the whole last.
    var wholes: [SegmentName] {
        cuts.indices.reversed().map { SegmentName(number: number, cuts: Array(cuts[..<$0])) }
    }

    static func < (left: SegmentName, right: SegmentName) -> Bool {
        left.number != right.number
            ? left.number < right.number : left.cuts.lexicographicallyPrecedes(right.cuts)
    }
}
