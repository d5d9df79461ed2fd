import Fleet
import Testing

@testable import Load

@Suite struct LatencyHistogramTests {
    @Test func `each percentile is right to three digits`() {
        var generator = SeededGenerator(seed: 3)
        var histogram = LatencyHistogram()
        var values: [UInt64] = []
        for _ in 0..<20_000 {
            // Any magnitude, from nanoseconds to an hour.
            let value = generator.next() >> (22 + generator.next() % 42)
            guard value <= LatencyHistogram.valueMax else { continue }
            values.append(value)
            histogram.record(value)
        }
        values.sort()
        #expect(histogram.totalCount == values.count)
        #expect(histogram.min == values.first && histogram.max == values.last)
        for percentile in [0.1, 1, 10, 50, 90, 95, 99, 99.9, 99.99, 100] {
            let rank = max(1, Int((percentile / 100 * Double(values.count)).rounded(.up)))
            let exact = Double(values[rank - 1])
            let found = Double(histogram.valueAtPercentile(percentile))
            #expect(found >= exact && found <= exact * 1.001 + 1, "p\(percentile)")
        }
    }

    @Test func `values at the limits count, and larger ones count as the limit`() {
        var histogram = LatencyHistogram()
        #expect(histogram.valueAtPercentile(50) == 0 && histogram.mean == 0)
        for value in [0, 2047, 2048, LatencyHistogram.valueMax, .max] { histogram.record(value) }
        #expect(histogram.min == 0)
        #expect(histogram.max == LatencyHistogram.valueMax)
        #expect(histogram.valueAtPercentile(100) == LatencyHistogram.valueMax)
        histogram.removeAll()
        #expect(histogram == LatencyHistogram())
    }

    @Test func `every duration counts in one bar`() {
        var histogram = LatencyHistogram()
        for value in [1, 5, 10, 11, 500, 1000] as [UInt64] { histogram.record(value) }
        #expect(histogram.counts(between: [1, 10, 100, 1000]) == [3, 1, 2])
    }

    @Test func `stretches add up to the run, and a stall is visible`() {
        var series = LoadSeries(durationNanoseconds: 10_000_000_000)
        #expect(series.stretchNanoseconds == 100_000_000)
        series.advance(to: 50_000_000)
        series.sent()
        series.accepted(after: 7_000_000)
        series.advance(to: 420_000_000)
        series.lost()
        series.finish()
        #expect(series.stretches.count == 5)
        #expect(series.stretches[0].sent == 1 && series.stretches[0].accepted == 1)
        #expect(series.stretches[0].max == 7_000_000)
        #expect(series.stretches[1...3].allSatisfy { $0 == LoadSeries.Stretch() })
        #expect(series.stretches[4].lost == 1)
    }
}
