import Readings
import Scanner
import ScannerSupport
import Testing

@Suite struct `A scanner that is used again` {
    @Test(.timeLimit(.minutes(10)))
    func `gives what a fresh one gives, also after refusals`() throws {
        var bodies = try CorpusExpectation.all.map { try Corpus.body($0.name) }
        bodies += (Refusal.envelopes + Refusal.order + Refusal.inPlace).map(\.body)
        bodies.append(batch([#"{"type":"event","x":""# + String(repeating: "y", count: 140_000)]))
        var random = SeededGenerator(seed: 7)
        var scanner = BatchScanner(limits: ReadingLimits())
        for round in 0..<3000 {
            let body = bodies[Int(random.next() % UInt64(bodies.count))]
            let chunks = Chunking.random(seed: random.next()).lengths(of: body.count)
            let reused = Verdict(of: &scanner, on: body, chunks: chunks, now: BatchGenerator.now)
            let fresh = Verdict(ofFreshScannerOn: body, chunks: chunks, now: BatchGenerator.now)
            #expect(reused == fresh, "round \(round), \(Difference.escaped(body, max: 300))")
            if reused != fresh { return }
        }
    }

    @Test func `forgets a batch that was never finished`() throws {
        let body = try Corpus.body("devices.json")
        let expected = Verdict(
            ofFreshScannerOn: body, chunks: [body.count], now: BatchGenerator.now)
        var scanner = BatchScanner(limits: ReadingLimits())
        for length in 0..<body.count {
            scanner.begin(now: BatchGenerator.now)
            try scanner.scan(body.span.bytes.extracting(0..<length))
            let verdict = Verdict(
                of: &scanner, on: body, chunks: [body.count], now: BatchGenerator.now)
            #expect(verdict == expected)
        }
    }

    /// The first bytes of the body before look like a compressed body, which no lines can be. The
    /// buffer is kept, or, after a large reading, replaced by another piece of used memory.
    @Test(arguments: [10, 200_000])
    func `sees nothing of the body before in an empty one`(bytes: Int) throws {
        let used = (0..<8).map { _ in
            let piece = UnsafeMutablePointer<UInt16>.allocate(capacity: 100_000)
            piece.initialize(repeating: 0x8B1F, count: 100_000)
            return piece
        }
        for piece in used { piece.deallocate() }
        var scanner = BatchScanner(limits: ReadingLimits())
        let body = [0x1F, 0x8B] + [UInt8](repeating: UInt8(ascii: " "), count: bytes)
        for _ in 0..<3 {
            scanner.begin(now: BatchGenerator.now, shape: .lines)
            #expect(throws: ScanError.self) { try scanner.scan(body.span.bytes) }
            scanner.begin(now: BatchGenerator.now, shape: .lines)
            #expect(try scanner.finish().received == 0)
        }
    }

    @Test func `takes the clock of each batch`() throws {
        let body = batch([#"{"type":"vital","t":"2026-02-12T00:00:00Z","code":1,"val":1}"#])
        var scanner = BatchScanner(limits: ReadingLimits())
        let day = Timestamp.microsecondsPerDay
        for (days, reason) in [
            (0, QuarantineReason.timeInFuture), (1, nil), (731, nil), (800, .timeTooOld),
        ] {
            let now = Timestamp(
                microseconds: BatchGenerator.now.microseconds + Int64(days) * day)
            let verdict = Verdict(of: &scanner, on: body, chunks: [body.count], now: now)
            #expect(verdict.batch?.problems.first?.reason == reason)
        }
    }

    @Test func `gives the same whatever size of body it is told to expect`() throws {
        var generator = BatchGenerator(seed: 3)
        let body = generator.body(readings: 500, faultyOnceIn: 10)
        let expected = ReferenceDecoder(now: BatchGenerator.now).verdict(on: body).batch
        var scanner = BatchScanner(limits: ReadingLimits())
        for expectedBytes in [
            0, 1, 1000, body.count - 1, body.count, body.count + 1, 1 << 40, .max,
        ] {
            scanner.begin(now: BatchGenerator.now, expectedBytes: expectedBytes)
            try scanner.scan(body.span.bytes)
            #expect(DecodedBatch(try scanner.finish()) == expected)
        }
    }

    /// Small batches are copied; large ones take over the scanner's own memory.
    @Test func `keeps batches apart whatever their sizes`() throws {
        var random = SeededGenerator(seed: 31)
        var scanner = BatchScanner(limits: ReadingLimits())
        var batches: [(ScannedBatch, [UInt8])] = []
        for seed in 0..<60 as Range<UInt64> {
            var generator = BatchGenerator(seed: seed)
            let sizes = [0, 1, 3, 100, 180, 230, 270, 330, 900]
            let readings = sizes[Int(random.next() % UInt64(sizes.count))]
            let body = generator.body(readings: readings, faultyOnceIn: 50)
            scanner.begin(now: BatchGenerator.now)
            try scanner.scan(body.span.bytes)
            batches.append((try scanner.finish(), body))
        }
        let reference = ReferenceDecoder(now: BatchGenerator.now)
        for (batch, body) in batches {
            #expect(DecodedBatch(batch) == reference.verdict(on: body).batch)
        }
    }

    @Test func `hands out batches that later ones do not change`() throws {
        var scanner = BatchScanner(limits: ReadingLimits())
        var batches: [(ScannedBatch, [UInt8])] = []
        for seed in 0..<50 as Range<UInt64> {
            var generator = BatchGenerator(seed: seed)
            let body = generator.body(readings: 20, faultyOnceIn: 5)
            scanner.begin(now: BatchGenerator.now)
            try scanner.scan(body.span.bytes)
            batches.append((try scanner.finish(), body))
        }
        let reference = ReferenceDecoder(now: BatchGenerator.now)
        for (batch, body) in batches {
            #expect(DecodedBatch(batch) == reference.verdict(on: body).batch)
        }
    }
}
