/// How a body is cut into the chunks in which it arrives.
public enum Chunking: Sendable {
    case whole
    /// Two chunks; the first has that many bytes, or the whole body if it is shorter.
    case split(at: Int)
    /// Chunks of that size and a shorter last one.
    case pieces(of: Int)
    /// Chunks of random sizes, some empty.
    case random(seed: UInt64)

    /// Lengths that add up to `byteCount`.
    public func lengths(of byteCount: Int) -> [Int] {
        switch self {
        case .whole: return [byteCount]
        case .split(let at): return [min(at, byteCount), max(0, byteCount - at)]
        case .pieces(let size):
            let full = [Int](repeating: size, count: byteCount / size)
            return byteCount % size == 0 ? full : full + [byteCount % size]
        case .random(let seed):
            var random = SeededGenerator(seed: seed)
            let typical = random.pick([1, 3, 17, 100, 1000, 20_000])
            var lengths: [Int] = []
            var left = byteCount
            while left > 0 {
                let length = min(left, random.within(0...2 * typical))
                lengths.append(length)
                left -= length
            }
            return lengths
        }
    }
}
