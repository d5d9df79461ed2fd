import Readings
import Testing

@testable import Ingest

/// Which days are made, in which order and how many.
@Suite struct DayPlanTests {
    private static let start = ContinuousClock.now

    private static func plan(perMinute: Int = 1000, perDevice: Int = 1000) -> DayPlan {
        DayPlan(perMinuteMax: perMinute, perDeviceMax: perDevice, now: start)
    }

    /// Runs the maker until it has nothing more to do at `now`.
    private static func run(
        _ plan: inout DayPlan, now: ContinuousClock.Instant, existing: Set<Int32> = []
    ) -> [DayPlan.Step] {
        var steps: [DayPlan.Step] = []
        while let step = plan.next(now: now) {
            plan.made(step, days: Set(step.days).subtracting(existing).count, now: now)
            steps.append(step)
        }
        return steps
    }

    @Test func `a long history is made in small steps and delays others by one step at most`() {
        var plan = Self.plan()
        _ = plan.want(Set(0..<730), for: 1, now: Self.start)
        guard let first = plan.next(now: Self.start) else { Issue.record("no step"); return }
        #expect(first.days.count == DayPlan.stepDaysMax)
        // Requested while that step is in progress.
        _ = plan.want([5000], for: 2, now: Self.start)
        plan.made(first, days: first.days.count, now: Self.start)
        let steps = Self.run(&plan, now: Self.start)
        #expect(steps.firstIndex { $0.device == 2 }! <= 1)
        #expect(steps.allSatisfy { $0.days.count <= DayPlan.stepDaysMax })
        for day in Set<Int32>(0..<730).union([5000]) {
            #expect(plan.standing(of: day, since: Self.start) == .exists)
        }
        #expect(plan.pending == 0)
    }

    @Test func `no minute exceeds the budget of days, and all days are made in the end`() {
        var plan = Self.plan(perMinute: 60)
        var made = 0
        _ = plan.want(Set(0..<300), for: 1, now: Self.start)
        for second in 0..<300 {
            let now = Self.start + .seconds(second)
            made += Self.run(&plan, now: now).reduce(0) { $0 + $1.days.count }
            // One whole budget at once, and what has been refilled since.
            #expect(made <= 60 + second)
        }
        #expect(made == 300)
    }

    @Test func `a device makes no more days in 24 hours than its budget, and others still do`() {
        var plan = Self.plan(perDevice: 100)
        _ = plan.want(Set(0..<1000), for: 1, now: Self.start)
        _ = plan.want(Set(2000..<2010), for: 2, now: Self.start)
        _ = Self.run(&plan, now: Self.start)
        let days = (0..<1000 as Range<Int32>).count {
            plan.standing(of: $0, since: Self.start) == .exists
        }
        #expect(days == 100)
        #expect(plan.standing(of: 2009, since: Self.start) == .exists)
        let isWithinBudget = plan.want([999], for: 1, now: Self.start + .seconds(3600))
        #expect(!isWithinBudget)
        // A day that another device has made exists for both.
        let later = Self.start + .seconds(24 * 3600)
        _ = plan.want(Set(0..<1000), for: 1, now: later)
        let steps = Self.run(&plan, now: later)
        #expect(steps.reduce(0) { $0 + $1.days.count } == 100)
    }

    @Test func `days that exist cost no budget`() {
        var plan = Self.plan(perMinute: 10, perDevice: 10)
        _ = plan.want(Set(0..<500), for: 1, now: Self.start)
        _ = Self.run(&plan, now: Self.start, existing: Set(0..<500))
        #expect(plan.standing(of: 499, since: Self.start) == .exists)
    }

    @Test func `a day that is always refused rests longer each time, and all others are made`() {
        var plan = Self.plan()
        var now = Self.start
        var attempts: [Int] = []
        for second in 0..<600 {
            now = Self.start + .seconds(second)
            // Lanes and the maker ask again and again.
            _ = plan.want(Set(0..<8), for: nil, now: now)
            _ = plan.want([5, 6], for: 1, now: now)
            while let step = plan.next(now: now) {
                if step.days.contains(5) {
                    if step.days.count == 1 { attempts.append(second) }
                    _ = plan.refused(step, now: now)
                } else {
                    plan.made(step, days: step.days.count, now: now)
                }
            }
            if second == 10 {
                for day in (0..<8 as Range<Int32>) where day != 5 {
                    #expect(plan.standing(of: day, since: Self.start) == .exists, "\(day)")
                }
            }
        }
        #expect(plan.standing(of: 5, since: Self.start) == nil)
        // After 1, 2, 4 … seconds, up to five minutes.
        #expect((6...14).contains(attempts.count), "\(attempts)")
        plan.found([5])
        #expect(plan.standing(of: 5, since: Self.start) == .exists)
        #expect(plan.pending == 0)
    }

    @Test func `a step that takes too long is halved, waits, and lets others go first`() {
        var plan = Self.plan()
        _ = plan.want(Set(0..<100), for: 1, now: Self.start)
        _ = plan.want([500], for: 2, now: Self.start)
        var now = Self.start
        var sizes: [Int] = []
        for _ in 0..<8 {
            guard let step = plan.next(now: now) else { Issue.record("no step"); return }
            if step.device == 2 {
                plan.failed(step, tookTooLong: false, now: now)
            } else {
                sizes.append(step.days.count)
                plan.failed(step, tookTooLong: true, now: now)
            }
            let second = plan.next(now: now)
            #expect(second == nil)
            now += .seconds(6)
        }
        #expect(sizes == [4, 2, 1, 1])
    }

    @Test func `a day that left is answered to earlier requests, and later ones ask again`() {
        var plan = Self.plan()
        _ = plan.want([3, 4], for: 1, now: Self.start)
        guard let step = plan.next(now: Self.start) else { Issue.record("no step"); return }
        let answered = Self.start + .seconds(1)
        plan.left([ReadingDay(kind: .gps, day: 3)], of: step, now: answered)
        #expect(plan.standing(of: 3, since: Self.start) == .left([.gps]))
        #expect(plan.standing(of: 3, since: answered + .seconds(1)) == nil)
        // The other day of that step is still to be made.
        let next = plan.next(now: answered)
        #expect(next?.days == 4...4)
    }
}
