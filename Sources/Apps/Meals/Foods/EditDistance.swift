/// The number of edits between two words: letters inserted, removed, changed, or swapped with the
/// next one (optimal string alignment).
enum EditDistance {
    /// The distance; nil if it exceeds `limit`. Complexity: the product of the lengths, less if the
    /// limit is exceeded early.
    static func between(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int? {
        if left == right { return 0 }
        if abs(left.count - right.count) > limit || limit == 0 { return nil }
        let width = right.count + 1
        var before = [Int](repeating: 0, count: width)
        var above = Array(0..<width)
        var row = [Int](repeating: 0, count: width)
        for i in 1...max(left.count, 1) where i <= left.count {
            row[0] = i
            var least = i
            for j in 1..<max(width, 1) {
                let change = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
                var cost = min(above[j] + 1, row[j - 1] + 1, change)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    cost = min(cost, before[j - 2] + 1)
                }
                row[j] = cost
                least = min(least, cost)
            }
            if least > limit { return nil }
            (before, above, row) = (above, row, before)
        }
        let distance = above[width - 1]
        return distance <= limit ? distance : nil
    }

    /// A set of letters, one bit a letter. The sets of two words within n edits differ in at most
    /// 2n bits.
    static func mask(_ word: some Sequence<UInt8>) -> UInt32 {
        word.reduce(0) { $0 | 1 << UInt32($1 & 31) }
    }
}
