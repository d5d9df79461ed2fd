public import Readings
public import Scanner

/// Bodies for mutation fuzzing: input `n` of a seed is always the same body and chunking.
public struct FuzzInputs: Sendable {
    /// The limits that generated faults of size exceed.
    public let limits: ReadingLimits
    private let corpus: [[UInt8]]
    private var pool: [(body: [UInt8], shape: BodyShape)] = []
    private var poolNumber: UInt64?

    /// - Parameter corpus: bodies that are mutated in addition to generated ones.
    public init(limits: ReadingLimits, corpus: [[UInt8]]) {
        self.limits = limits
        self.corpus = corpus
    }

    /// The input of that number; cheapest in ascending order.
    public mutating func input(
        _ number: UInt64
    ) -> (body: [UInt8], chunking: Chunking, shape: BodyShape) {
        // Generating costs more than mutating, so 128 inputs come from the same 16 bodies.
        if poolNumber != number / 128 {
            poolNumber = number / 128
            fillPool(number / 128)
        }
        var random = SeededGenerator(seed: number &* 0x5851_F42D_4C95_7F2D &+ 1)
        var (body, shape) = random.pick(pool)
        if !random.once(in: 16) {
            var mutator = BodyMutator(seed: random.next())
            body = mutator.mutated(body, with: random.pick(pool).body)
        }
        if random.once(in: 64) { shape = shape == .lines ? .document : .lines }
        let chunking: Chunking =
            random.once(in: 3) ? .whole : .random(seed: random.next())
        return (body, chunking, shape)
    }

    private mutating func fillPool(_ number: UInt64) {
        var random = SeededGenerator(seed: number)
        pool.removeAll(keepingCapacity: true)
        while pool.count < 14 {
            var generator = BatchGenerator(seed: random.next(), limits: limits)
            for _ in 0..<3 { pool.append((generator.body(), .document)) }
        }
        for shape in [BodyShape.lines, .document, .lines] {
            var generator = BatchGenerator(seed: random.next(), limits: limits)
            pool.append((generator.bareBody(shape), shape))
        }
        if !corpus.isEmpty { pool.append((random.pick(corpus), .document)) }
    }
}
