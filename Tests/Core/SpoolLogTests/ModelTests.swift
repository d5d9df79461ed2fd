import SpoolLogSupport
import Testing

@Suite struct ModelTests {
    /// Seeds that once failed.
    static let failedOnce: [UInt64] = []

    @Test(.timeLimit(.minutes(10)))
    func `a record that was synced and not released is there whatever happens`() throws {
        var crashes = 0
        var fulls = 0
        var failures = 0
        for seed in Self.failedOnce + Array(1...3000) {
            do {
                var run = try ModelRun(seed: seed)
                try run.run(actions: 60)
                crashes += run.crashes
                fulls += run.fulls
                failures += run.failures
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        #expect(crashes > 5000)
        #expect(fulls > 100)
        #expect(failures > 1000)
    }
}
