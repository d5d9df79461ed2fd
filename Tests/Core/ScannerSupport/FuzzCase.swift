public import Readings
public import Scanner

/// The meaning of a coverage-guided fuzzer's bytes: one byte of choices, one of chunking, then a
/// body.
public struct FuzzCase: Sendable {
    /// The default limits or ``Readings/ReadingLimits/tight``.
    public let limits: ReadingLimits
    /// The form of `body`.
    public let shape: BodyShape
    /// How `body` arrives the second time; the first time it arrives whole.
    public let chunking: Chunking
    /// The rest after the two bytes of choices.
    public let body: [UInt8]

    /// Accepts any bytes.
    public init(_ bytes: [UInt8]) {
        let choices = bytes.first ?? 0
        let size = bytes.dropFirst().first ?? 0
        limits = choices & 1 == 0 ? ReadingLimits() : .tight
        shape = choices & 8 == 0 ? .document : .lines
        chunking =
            switch choices >> 1 & 3 {
            case 0: .pieces(of: 1)
            case 1: .pieces(of: Int(size) + 1)
            case 2: .split(at: Int(size))
            default: .random(seed: UInt64(size))
            }
        body = Array(bytes.dropFirst(2))
    }

    /// Nil when scanner and reference agree, whole and in chunks.
    public func difference() -> Difference? {
        var comparison = Comparison(limits: limits)
        return comparison.difference(on: body, .whole, shape)
            ?? comparison.difference(on: body, chunking, shape)
    }

    /// Generated bodies in the fuzzer's form, as an initial corpus.
    public static func seeds(count: Int) -> [[UInt8]] {
        (0..<UInt64(count)).map { seed in
            var random = SeededGenerator(seed: seed)
            let choices = UInt8(random.below(16))
            let size = UInt8(random.below(256))
            let limits = choices & 1 == 0 ? ReadingLimits() : .tight
            var generator = BatchGenerator(seed: random.next(), limits: limits)
            return [choices, size]
                + (choices & 8 == 0 ? generator.body() : generator.bareBody(.lines))
        }
    }
}
