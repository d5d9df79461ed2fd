import Readings
import Scanning

/// This project's scanner: validates, and writes COPY BINARY rows.
final class SluiceScanner: Implementation {
    private var scanner = BatchScanner(limits: ReadingLimits())
    private let chunkBytes: Int?

    init(chunkBytes: Int?) {
        self.chunkBytes = chunkBytes
    }

    var name: String { chunkBytes.map { "sluice, \($0) bytes at a time" } ?? "sluice" }

    func check(_ corpus: Corpus) throws {
        for (number, body) in corpus.bodies.enumerated() {
            let batch = try scan(body, now: .now)
            guard batch.quarantined == 0, batch.parcels.count == 1 else {
                throw Disagreement(implementation: name, body: number, what: "a reading set aside")
            }
            for kind in ReadingKind.allCases
            where batch.parcels[0].tuples(of: kind) != body.rows[Int(kind.rawValue)] {
                throw Disagreement(implementation: name, body: number, what: "\(kind.name) rows")
            }
        }
    }

    func pass(over corpus: Corpus) {
        let now = Timestamp.now
        var received = 0
        for body in corpus.bodies {
            guard let batch = try? scan(body, now: now) else {
                preconditionFailure("BUG: refused what it had accepted")
            }
            received += batch.received
        }
        precondition(received == corpus.readings, "BUG: received=\(received)")
    }

    private func scan(_ body: Corpus.Body, now: Timestamp) throws(ScanError) -> ScannedBatch {
        scanner.begin(now: now, expectedBytes: body.count)
        let bytes = body.padded.span.bytes.extracting(first: body.count)
        guard let chunkBytes else {
            try scanner.scan(bytes)
            return try scanner.finish()
        }
        var rest = bytes
        while rest.byteCount > 0 {
            try scanner.scan(rest.extracting(first: chunkBytes))
            rest = rest.extracting(droppingFirst: min(chunkBytes, rest.byteCount))
        }
        return try scanner.finish()
    }
}
