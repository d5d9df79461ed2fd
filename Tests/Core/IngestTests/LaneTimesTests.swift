import Testing

@testable import Ingest

@Suite struct LaneTimesTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
        start + .milliseconds(milliseconds)
    }

    @Test func `the times that batches waited and stayed add up`() {
        var times = LaneTimes()
        times.begin(3, waited: .milliseconds(12), now: at(0))
        times.end(now: at(5))
        times.begin(1, waited: .milliseconds(1), now: at(10))
        times.end(now: at(17))
        #expect(times.batches == 4)
        #expect(times.wait == .milliseconds(13))
        #expect(times.stay == .milliseconds(3 * 5 + 7))
        #expect(times.busy == .milliseconds(12))
    }

    @Test func `an unfinished group counts up to the present, once`() {
        var times = LaneTimes()
        times.begin(2, waited: .zero, now: at(0))
        for moment in [1, 100, 3000] {
            #expect(times.seen(at: at(moment)).busy == .milliseconds(moment))
            #expect(times.seen(at: at(moment)).stay == .milliseconds(2 * moment))
        }
        times.end(now: at(4000))
        #expect(times.busy == .milliseconds(4000))
        #expect(times.seen(at: at(9000)).busy == .milliseconds(4000))
    }

    @Test func `the backlog keeps a lane busy but counts no waiting`() {
        var times = LaneTimes()
        times.begin(0, waited: .zero, now: at(0))
        times.end(now: at(30))
        #expect(times.busy == .milliseconds(30))
        #expect(times.stay == .zero)
        #expect(times.batches == 0)
    }

    @Test func `steps count only for committed transactions`() {
        var times = LaneTimes()
        var one = GroupTimes()
        one.claim = .milliseconds(2)
        one.commit = .milliseconds(3)
        times.committed(one)
        times.committed(one)
        #expect(times.groups == 2)
        #expect(times.steps.claim == .milliseconds(4))
        #expect(times.steps.commit == .milliseconds(6))
        #expect(times.steps.copy == .zero)
    }
}
