import Instruments
import Testing

@Suite struct HistogramTests {
    @Test(arguments: [
        (0, [1, 1, 1]), (10, [1, 1, 1]), (11, [0, 1, 1]), (20, [0, 1, 1]), (30, [0, 0, 1]),
        (31, [0, 0, 0]), (-5, [1, 1, 1]),
    ])
    func `a value counts in every bucket whose bound it does not exceed`(
        value: Int, expected: [Int]
    ) {
        let histogram = Histogram(.count, bounds: [10, 20, 30])
        histogram.record(value)
        let snapshot = histogram.snapshot
        #expect(snapshot.buckets.map(\.count) == expected)
        #expect(snapshot.count == 1)
        #expect(snapshot.sum == Double(max(value, 0)))
    }

    @Test func `durations are written in seconds`() {
        let histogram = Histogram(.seconds, bounds: [1_000_000, 2_000_000_000])
        histogram.record(.milliseconds(1))
        histogram.record(.seconds(1.5))
        let snapshot = histogram.snapshot
        #expect(snapshot.buckets.map(\.bound) == [0.001, 2])
        #expect(snapshot.buckets.map(\.count) == [1, 2])
        #expect(abs(snapshot.sum - 1.501) < 1e-9)
    }

    @Test func `the predefined bounds rise`() {
        for bounds in [Histogram.latencyBounds, Histogram.sizeBounds] {
            #expect(zip(bounds, bounds.dropFirst()).allSatisfy(<))
        }
    }

    @Test func `no value is lost when several threads record`() async {
        let histogram = Histogram(.count, bounds: [2, 5])
        await withTaskGroup(of: Void.self) { group in
            for value in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { histogram.record(value) }
                }
            }
        }
        let snapshot = histogram.snapshot
        #expect(snapshot.buckets.map(\.count) == [30_000, 60_000])
        #expect(snapshot.count == 80_000)
        #expect(snapshot.sum == Double(28 * 10_000))
    }
}
