import Instruments
import Testing

@testable import Status

@Suite struct DistributionTests {
    @Test func `a quantile is interpolated in its bucket by rank`() {
        let times = Distribution(bounds: [1, 2, 4], counts: [10, 10, 0, 0], sum: 22)
        #expect(times.count == 20)
        #expect(times.quantile(0.25) == 0.5)
        #expect(times.quantile(0.5) == 1)
        #expect(times.quantile(0.75) == 1.5)
        #expect(times.quantile(1) == 2)
        #expect(times.mean == 1.1)
    }

    @Test func `values above all bounds count as the highest bound`() {
        let times = Distribution(bounds: [1, 2], counts: [1, 0, 9], sum: 900)
        #expect(times.quantile(0.99) == 2)
    }

    @Test func `without values there is no quantile and no mean`() {
        let none = Distribution(bounds: [1, 2], counts: [0, 0, 0], sum: 0)
        #expect(none.quantile(0.5) == nil)
        #expect(none.mean == nil)
        #expect(Distribution().quantile(0.5) == nil)
    }

    @Test func `the values between two snapshots of a histogram are their difference`() {
        let histogram = Histogram(.seconds, bounds: Histogram.latencyBounds)
        histogram.record(.milliseconds(3))
        let earlier = Distribution(histogram.snapshot)
        for _ in 0..<98 { histogram.record(.milliseconds(15)) }
        histogram.record(.seconds(40))
        let since = Distribution(histogram.snapshot).since(earlier)
        #expect(since.count == 99)
        #expect(abs((since.mean ?? 0) - (98 * 0.015 + 40) / 99) < 1e-9)
        #expect((0.01...0.02).contains(since.quantile(0.5) ?? 0))
        #expect((0.01...0.02).contains(since.quantile(0.9) ?? 0))
        #expect(since.quantile(1) == 30)
    }

    @Test func `quantiles rise with their share`() {
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let counts = (0..<19).map { _ in Int.random(in: 0...5, using: &dice) }
            let bounds = Histogram.latencyBounds.map { Double($0) / 1e9 }
            let times = Distribution(bounds: bounds, counts: counts, sum: 1)
            let values = stride(from: 0.0, through: 1, by: 0.05).compactMap(times.quantile)
            #expect(zip(values, values.dropFirst()).allSatisfy(<=), "\(counts)")
        }
    }
}
