import Instruments
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import Status

@Suite(.timeLimit(.minutes(10))) struct StatusSamplerTests {
    /// - Parameter historyInterval: so long that only the first sample is taken.
    private static func sampler(
        asked: Counter, historyInterval: Duration = .seconds(3600)
    ) -> StatusSampler {
        StatusSampler(
            registry: Registry(), slowest: SlowestBoard(), node: "here",
            condition: {
                asked.increment()
                return StatusSampler.Condition(
                    isDatabaseUp: true, isAvailable: true, spoolOldestUnixSeconds: nil)
            }, unixSeconds: { 1_795_300_000 },
            historyInterval: historyInterval)
    }

    private static func running<Result: Sendable>(
        _ sampler: StatusSampler, _ body: @Sendable (ServiceGroup) async throws -> Result
    ) async throws -> Result {
        let group = ServiceGroup(services: [sampler], logger: Logger(label: "test"))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result = try await body(group)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }

    @Test func `without watchers only the history is read`() async throws {
        let asked = Counter()
        let sampler = Self.sampler(asked: asked)
        try await Self.running(sampler) { _ in
            try await Task.sleep(for: .milliseconds(300))
            #expect(asked.value <= 1)
            for await report in sampler.reports() {
                #expect(StatusReport(json: report)?.node == "here")
                break
            }
            // A watcher that left is noticed at the next report.
            while sampler.watcherCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
            let after = asked.value
            // One sample may have been pending; if the sampling had not ended there would be
            // three.
            try await Task.sleep(for: .milliseconds(3500))
            #expect(asked.value <= after + 1)
        }
    }

    @Test func `all watchers get the same reports, each made once`() async throws {
        let asked = Counter()
        let sampler = Self.sampler(asked: asked)
        let seen = Seen()
        try await Self.running(sampler) { group in
            await withTaskGroup(of: Void.self) { tasks in
                for (number, reports) in [sampler.reports(), sampler.reports()].enumerated() {
                    tasks.addTask {
                        for await report in reports {
                            seen.append(report, by: number)
                            if seen.isEnough { await group.triggerGracefulShutdown() }
                        }
                    }
                }
            }
        }
        // A slow watcher may miss a report, but not the last one.
        let reports = seen.reports
        let sequences = try reports.map { reports in
            try reports.map { try #require(StatusReport(json: $0)?.sequence) }
        }
        #expect(sequences.allSatisfy { $0 == $0.sorted() && Set($0).count == $0.count })
        let last = try #require(sequences[0].last)
        #expect(sequences[1].last == last)
        let texts = Set(reports[0] + reports[1])
        #expect(texts.count == Set(sequences[0] + sequences[1]).count)
        // One for each report, one before the first report, and the history's first.
        #expect(asked.value == last + 2)
    }

    /// The reports that two watchers received.
    private final class Seen: Sendable {
        private let state = Mutex<[[String]]>([[], []])

        var reports: [[String]] { state.withLock { $0 } }
        var isEnough: Bool { reports.allSatisfy { $0.count >= 2 } }

        func append(_ report: String, by number: Int) {
            state.withLock { $0[number].append(report) }
        }
    }

    @Test func `a later watcher gets the newest report at once`() async throws {
        let sampler = Self.sampler(asked: Counter())
        try await Self.running(sampler) { _ in
            var early = sampler.reports().makeAsyncIterator()
            // A watcher that had to wait would always get the next report. With this code that
            // only happens if the machine stalls.
            for _ in 0..<60 {
                let newest = await early.next()
                var late = sampler.reports().makeAsyncIterator()
                if await late.next() == newest { return }
            }
            Issue.record("the newest report was not there")
        }
    }

    @Test func `the history is kept without watchers`() async throws {
        let sampler = Self.sampler(asked: Counter(), historyInterval: .milliseconds(20))
        #expect(sampler.history() == nil)
        try await Self.running(sampler) { _ in
            while sampler.history() == nil { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(sampler.watcherCount == 0)
    }

    @Test func `streams end when the server stops, and later ones at once`() async throws {
        let sampler = Self.sampler(asked: Counter())
        let ended = Counter()
        try await Self.running(sampler) { group in
            let reports = sampler.reports()
            let watching = Task {
                for await _ in reports {}
                ended.increment()
            }
            try await Task.sleep(for: .milliseconds(200))
            await group.triggerGracefulShutdown()
            await watching.value
        }
        #expect(ended.value == 1)
        for await _ in sampler.reports() { Issue.record("a report after the end") }
    }
}
