/// Finds the word that a typing error may stand for.
public enum Suggestion {
    /// The word with the smallest distance; nil if none is near.
    ///
    /// - Parameter words: the candidates; of several at the same distance, the first wins.
    public static func nearest(to word: String, among words: [String]) -> String? {
        let distances = words.map { distance(Array(word.utf8), Array($0.utf8)) }
        guard let least = distances.min(), least <= max(1, word.utf8.count / 4),
            let place = distances.firstIndex(of: least)
        else { return nil }
        return words[place]
    }

    /// The number of bytes to add, remove or change, or of neighbours to swap.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var least = min(last[j + 1], row[j]) + 1
                least = min(least, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, beforeLast[j - 1] + 1)
                }
                row.append(least)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
