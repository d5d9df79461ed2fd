import Fleet
import Testing

@testable import Load

@Suite struct ThresholdTests {
    @Test(arguments: [
        ("p99<50ms", Threshold.Metric.percentile(99), Threshold.Comparison.below, 50.0),
        ("p99.9 <= 1s", .percentile(99.9), .atMost, 1000), ("p50<7", .percentile(50), .below, 7),
        ("median<500us", .percentile(50), .below, 0.5), ("max<2s", .percentile(100), .below, 2000),
        ("avg<9ms", .mean, .below, 9), ("failed<0.1%", .failed, .below, 0.001),
        ("failed<0.05", .failed, .below, 0.05), ("lost<1", .lost, .below, 1),
        ("dropped<=0", .dropped, .atMost, 0), ("rate>=1000/s", .rate, .atLeast, 1000),
        ("readings>5000", .readings, .above, 5000),
    ])
    func `a threshold is read`(
        text: String, metric: Threshold.Metric, comparison: Threshold.Comparison, limit: Double
    ) throws {
        let threshold = try #require(Threshold(argument: text))
        #expect(threshold.metric == metric)
        #expect(threshold.comparison == comparison)
        #expect(abs(threshold.limit - limit) < 1e-9)
    }

    @Test(arguments: [
        "", "p99", "p99<", "<50ms", "p101<5ms", "p<5ms", "p99=5ms", "p99<5x", "p99<5%",
        "failed<5ms",
        "rate>fast", "p99<<5ms", "speed<5", "p99<-5ms", "failed<inf",
    ])
    func `other texts are no threshold`(text: String) {
        #expect(Threshold(argument: text) == nil)
    }

    @Test(arguments: [
        ("p50<11ms", true), ("p50<9ms", false), ("max<=30ms", true), ("min>=10ms", true),
        ("failed<=25%", true), ("failed<25%", false), ("lost<1", false), ("lost<=1", true),
        ("dropped<1", true), ("rate>=1.5", true), ("rate>1.5", false), ("readings>=0", true),
    ])
    func `a threshold is met or crossed`(text: String, holds: Bool) throws {
        var report = LoadReport()
        report.elapsedNanoseconds = 2_000_000_000
        report.statuses = [200: 3]
        report.lost = 1
        for milliseconds in [10, 10, 30] as [UInt64] {
            report.accepted.record(milliseconds * 1_000_000)
        }
        let threshold = try #require(Threshold(argument: text))
        let verdict = threshold.verdict(on: report, try Sample.result(of: report))
        #expect(verdict.holds == holds, "\(verdict)")
    }

    @Test func `a threshold on something that was not measured is crossed`() throws {
        let result = try Sample.result(of: LoadReport())
        for text in ["p99<1h", "mean<1h", "min>=0ms", "failed<100%"] {
            let threshold = try #require(Threshold(argument: text))
            #expect(!threshold.verdict(on: LoadReport(), result).holds, "\(text)")
        }
    }
}
