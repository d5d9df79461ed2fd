import Readings
import Scanner
import TestSupport
import Testing

@testable import Ingest

/// The stretches of time in which stored rows are looked at.
struct SpanTests {
    /// Each span is a look-up of its own. Times of the whole past in one would read all rows between.
    @Test func `times up to a minute apart are one span, others are not`() throws {
        let seconds = [0, 60, 121, 122, 182, 900]
        let batch = try Bench.scan(Bodies.batch("d", seconds.map { Bodies.vital($0) }))
        let known = Claim.Previous(
            keyCheck: 0, watermarks: ByKind(repeating: .max), hasNewAttributes: false,
            summedUntil: .min)
        let spans = Deduplication(
            Array(batch.deviceBatches), placeOfBatch: [0], previousWatermarks: [known]
        ).spans(of: .vital)
        let start = spans.map(\.first).min() ?? 0
        let found = spans.map { span -> [Int64] in
            [(span.first - start) / 1_000_000, (span.last - start) / 1_000_000]
        }
        #expect(found == [[0, 60], [121, 182], [900, 900]])
    }
}
