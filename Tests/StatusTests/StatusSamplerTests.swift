import Instruments
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import Status

@Suite(.timeLimit(.minutes(1))) struct StatusSamplerTests {
    private static func sampler(asked: Counter, _ registry: Registry = Registry()) -> StatusSampler
    {
        StatusSampler(
            registry: registry, slowest: SlowestBoard(), node: "here",
            condition: {
                asked.increment()
                return StatusSampler.Condition(
                    isDatabaseUp: true, isAvailable: true, spoolOldestUnixSeconds: nil)
            }, unixSeconds: { 1_795_300_000 })
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

    @Test func `nothing is read while nobody watches`() async throws {
        let asked = Counter()
        let sampler = Self.sampler(asked: asked)
        try await Self.running(sampler) { _ in
            try await Task.sleep(for: .milliseconds(300))
            #expect(asked.value == 0)
            for await report in sampler.reports() {
                #expect(StatusReport(json: report)?.node == "here")
                break
            }
            // Whoever lets go is noticed at the next report.
            try await Task.sleep(for: .milliseconds(1500))
            let after = asked.value
            #expect(sampler.watcherCount == 0)
            try await Task.sleep(for: .milliseconds(1500))
            #expect(asked.value == after)
        }
    }

    @Test func `all who watch get the same reports, made once`() async throws {
        let asked = Counter()
        let sampler = Self.sampler(asked: asked)
        try await Self.running(sampler) { _ in
            let (one, two) = (sampler.reports(), sampler.reports())
            async let first = one.prefix(2).reduce(into: [String]()) { $0.append($1) }
            async let second = two.prefix(2).reduce(into: [String]()) { $0.append($1) }
            let (a, b) = await (first, second)
            #expect(a == b)
            #expect(a.compactMap { StatusReport(json: $0)?.sequence } == [1, 2])
            #expect(asked.value == 3)
        }
    }

    @Test func `who comes later gets the newest report at once`() async throws {
        let sampler = Self.sampler(asked: Counter())
        try await Self.running(sampler) { _ in
            var early = sampler.reports().makeAsyncIterator()
            let first = await early.next()
            var late = sampler.reports().makeAsyncIterator()
            let newest = await late.next()
            // Whoever had to wait would have got the second.
            #expect(newest == first)
        }
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
