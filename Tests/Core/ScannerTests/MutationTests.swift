import Foundation
import Readings
import Scanner
import ScannerSupport
import Testing

/// Random damage: `SLUICE_FUZZ_INPUTS` sets the number of inputs, `SLUICE_FUZZ_SEED` the first
/// seed.
@Suite struct `A damaged body` {
    enum Limits: Int, CaseIterable {
        case usual, tight

        var limits: ReadingLimits { self == .usual ? ReadingLimits() : .tight }
    }

    @Test(.timeLimit(.minutes(30)), arguments: Limits.allCases)
    func `means the same to scanner and reference`(_ kind: Limits) throws {
        let corpus = try CorpusExpectation.all.map { try Corpus.body($0.name) }
        var inputs = FuzzInputs(limits: kind.limits, corpus: corpus)
        var comparison = Comparison(limits: kind.limits)
        let crashNote = CrashNote(slot: kind.rawValue)
        var taken = 0
        var reasons: Set<QuarantineReason> = []
        var differences = 0
        let count = Effort.inputs / 2
        for offset in 0..<UInt64(count) {
            let number = Effort.seed << 32 + offset
            crashNote.note(input: number)
            let (body, chunking, shape) = inputs.input(number)
            if let difference = comparison.difference(on: body, chunking, shape) {
                report(difference, shape, number: number, limits: kind.limits)
                differences += 1
                if differences == 5 { return }
            }
            // The reference's verdict on a few inputs shows what the inputs reach.
            if offset % 16 == 0, let batch = comparison.reference.verdict(on: body, shape).batch {
                taken += 1
                reasons.formUnion(batch.problems.map(\.reason))
            }
        }
        // If nearly all inputs were refused, or few faults of readings occurred, this would test
        // little.
        #expect(taken * 16 > count / 5)
        if count >= 20_000 { #expect(reasons.count > 25) }
    }

    private func report(
        _ difference: Difference, _ shape: BodyShape, number: UInt64, limits: ReadingLimits
    ) {
        var shrinking = Comparison(limits: limits)
        let shrunk = Shrinker.shrunk(difference.body) {
            shrinking.difference(on: $0, difference.chunking, shape) != nil
                || shrinking.difference(on: $0, .pieces(of: 1), shape) != nil
        }
        let smallest =
            shrinking.difference(on: shrunk, difference.chunking, shape)
            ?? shrinking.difference(on: shrunk, .pieces(of: 1), shape) ?? difference
        Issue.record("input \(number), \(shape), shrunk: \(smallest)")
    }
}

@Suite struct `The generator` {
    /// Otherwise the random tests would cover less than they seem to.
    @Test func `makes valid readings when it is asked to`() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = BatchGenerator(seed: seed)
            let body = generator.body(readings: 10, faultyOnceIn: 0)
            let batch = agreed(on: body, [.whole, .random(seed: seed)]).batch
            #expect(batch?.received == 10)
            #expect(batch?.problems == [])
        }
    }

    @Test(arguments: BatchGenerator.reasons)
    func `makes a reading with each fault`(_ reason: QuarantineReason) {
        for seed in 0..<30 as Range<UInt64> {
            var generator = BatchGenerator(seed: seed)
            let body = generator.body(faulty: reason)
            let batch = agreed(on: body, [.whole, .random(seed: seed)]).batch
            #expect(batch?.problems.map(\.reason) == [reason], "seed \(seed)")
        }
    }

    @Test(arguments: [BodyShape.document, .lines])
    func `makes bodies without envelope too`(_ shape: BodyShape) {
        for seed in 0..<200 as Range<UInt64> {
            var generator = BatchGenerator(seed: seed)
            let body = generator.bareBody(shape, readings: 10, faultyOnceIn: 0)
            let batch = agreed(on: body, [.whole, .random(seed: seed)], shape).batch
            #expect(batch?.received == 10)
            #expect(batch?.problems == [])
        }
        for reason in BatchGenerator.bareReasons(shape) {
            for seed in 0..<10 as Range<UInt64> {
                var generator = BatchGenerator(seed: seed)
                let body = generator.bareBody(shape, faulty: reason)
                let batch = agreed(on: body, [.whole, .random(seed: seed)], shape).batch
                #expect(batch?.problems.map(\.reason) == [reason], "seed \(seed)")
            }
        }
    }

    @Test func `makes the same body from the same seed`() {
        var first = BatchGenerator(seed: 42)
        var second = BatchGenerator(seed: 42)
        for _ in 0..<20 { #expect(first.body() == second.body()) }
    }
}

@Suite struct `The shrinker` {
    @Test func `leaves only what the failure needs`() {
        var generator = BatchGenerator(seed: 9)
        let body = generator.body(readings: 20, faultyOnceIn: 0)
        let shrunk = Shrinker.shrunk(body) { $0.contains(UInt8(ascii: "}")) && $0.count > 1 }
        #expect(shrunk.count == 2)
        #expect(shrunk.contains(UInt8(ascii: "}")))
    }
}
