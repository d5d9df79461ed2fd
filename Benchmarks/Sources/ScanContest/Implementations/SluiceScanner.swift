import Readings
import Scanner

/// This project's scanner: validates, and writes COPY BINARY rows.
final class SluiceScanner: Implementation {
    @exclusivity(unchecked) private var scanner: BatchScanner
    private let chunkBytes: Int?

    init(chunkBytes: Int?, knowsSenders: Bool) {
        let limits = ReadingLimits()
        scanner = BatchScanner(
            limits: limits, senders: knowsSenders ? SenderCache(limits: limits) : nil)
        self.chunkBytes = chunkBytes
    }

    var name: String { chunkBytes.map { "sluice, \($0) bytes at a time" } ?? "sluice" }

    func check(_ corpus: Corpus) throws {
        for (number, body) in corpus.bodies.enumerated() {
            let batch = try scan(corpus.bytes.span.bytes.extracting(body.range), now: .now())
            guard batch.quarantined == 0, batch.deviceBatches.count == 1 else {
                throw Disagreement(implementation: name, body: number, what: "quarantined")
            }
            for kind in ReadingKind.allCases
            where batch.deviceBatches[0].tuples(of: kind) != corpus.rows[number][Int(kind.rawValue)]
            {
                throw Disagreement(implementation: name, body: number, what: "\(kind.name) rows")
            }
        }
    }

    func pass(over corpus: Corpus) {
        let now = Timestamp.now()
        var received = 0
        let bytes = corpus.bytes.span.bytes
        for body in corpus.bodies {
            guard let batch = try? scan(bytes.extracting(body.range), now: now) else {
                preconditionFailure("BUG: refused what it had accepted")
            }
            received += batch.received
        }
        precondition(received == corpus.readings, "BUG: received=\(received)")
    }

    private func scan(_ body: RawSpan, now: Timestamp) throws(ScanError) -> ScannedBatch {
        scanner.begin(now: now, expectedBytes: body.byteCount)
        guard let chunkBytes else {
            try scanner.scan(body)
            return try scanner.finish()
        }
        var rest = body
        while rest.byteCount > 0 {
            try scanner.scan(rest.extracting(first: chunkBytes))
            rest = rest.extracting(droppingFirst: min(chunkBytes, rest.byteCount))
        }
        return try scanner.finish()
    }
}
