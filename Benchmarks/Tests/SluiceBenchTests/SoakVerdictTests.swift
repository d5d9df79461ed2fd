import Testing

@testable import sluice_bench

/// What counts as growth in a soak.
struct SoakVerdictTests {
    /// A soak in which nothing grows, but its first part, and every twentieth sample is odd.
    private static func samples(
        _ count: Int = 320, _ change: (Int, inout SoakSample) -> Void = { _, _ in }
    ) -> [SoakSample] {
        (0..<count).map { number in
            let readings = (number + 1) * 100_000
            let isWarm = number >= count / 8
            var sample = SoakSample(
                seconds: Double(number), readings: readings,
                residentBytes: (isWarm ? 90 : 50) << 20, openFiles: isWarm ? 80 : 20,
                spoolFiles: 6, spoolBytes: 128 << 20, databaseBytes: readings * 110,
                logBytes: (isWarm ? 1000 : 16) << 20)
            if number % 20 == 19 {
                sample.residentBytes *= 3
                sample.openFiles += 200
                sample.spoolFiles += 30
                sample.spoolBytes *= 8
            }
            change(number, &sample)
            return sample
        }
    }

    @Test func `a soak that only warms up and has odd moments is good`() {
        let verdict = SoakVerdict(Self.samples())
        #expect(verdict.isGood, "\(verdict.lines)")
    }

    struct Leak: Sendable, CustomTestStringConvertible {
        let name: String
        let grow: @Sendable (Int, inout SoakSample) -> Void
        var testDescription: String { name }
    }

    /// Each is small between two samples.
    private static let leaks = [
        Leak(name: "resident memory of node 0") { $1.residentBytes += $0 * 200_000 },
        Leak(name: "descriptors of node 0") { $1.openFiles += $0 / 8 },
        Leak(name: "files of spools") { $1.spoolFiles += $0 / 40 },
        Leak(name: "bytes of spools") { $1.spoolBytes += $0 * 500_000 },
        Leak(name: "database bytes for each reading") { $1.databaseBytes += $0 * $0 * 8000 },
        Leak(name: "write-ahead log") { $1.logBytes += $0 * 2_000_000 },
    ]

    @Test(arguments: leaks)
    func `what grows slowly is found, and nothing else`(leak: Leak) {
        let verdict = SoakVerdict(Self.samples { leak.grow($0, &$1) })
        #expect(!verdict.isGood)
        #expect(verdict.growths.filter { !$0.isMet }.map(\.name) == [leak.name])
        #expect(verdict.lines.contains { $0.contains(leak.name) && $0.hasSuffix("NOT MET") })
    }

    @Test func `a soak with too few samples is not good`() {
        #expect(!SoakVerdict(Self.samples(31)).isGood)
        #expect(SoakVerdict(Self.samples(32)).isGood)
    }

    @Test func `a soak that the disk does not hold is refused, with what it holds`() throws {
        let options = try ChaosOptions.parse(["--devices", "2000"])
        let plan = SoakPlan(
            seconds: 8 * 3600, requestsPerSecond: 4000, options: options, faultSeconds: 600)
        let said = try #require(plan.obstacle(freeBytes: 100e9))
        #expect(said.contains("at most --rate 243"), "\(said)")
        #expect(
            SoakPlan(
                seconds: 8 * 3600, requestsPerSecond: 243, options: options, faultSeconds: 600
            ).obstacle(freeBytes: 100e9) == nil)
        let few = SoakPlan(
            seconds: 8 * 3600, requestsPerSecond: 4000, options: try ChaosOptions.parse([]),
            faultSeconds: 600)
        #expect(few.obstacle(freeBytes: 1e15)?.contains("--devices") == true)
    }
}
