/// A hash over all events of a run and, on request, the last lines of its story.
///
/// Two runs are the same when their hashes are.
struct Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines: [String] = []
    let isTold: Bool
    private static let linesMax = 20_000

    init(isTold: Bool) {
        self.isTold = isTold
    }

    mutating func note(_ what: Int, _ detail: Int64) {
        hash = (hash ^ UInt64(bitPattern: Int64(what))) &* 0x0000_0100_0000_01B3
        hash = (hash ^ UInt64(bitPattern: detail)) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }

    mutating func tell(_ now: Int64, _ line: () -> String) {
        guard isTold else { return }
        if lines.count >= Self.linesMax { lines.removeFirst(Self.linesMax / 2) }
        lines.append("\(Double(now / 1000) / 1e6) \(line())")
    }
}
