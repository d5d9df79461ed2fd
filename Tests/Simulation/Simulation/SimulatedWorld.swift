import Ingest
import Postgres
import Readings
import SpoolLogSupport

/// The world as one process sees it.
final class SimulatedWorld: World, @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    typealias SpoolDisk = SimulatedDisk

    unowned(unsafe) private let run: Run
    unowned(unsafe) private let life: Life

    init(_ run: Run, _ life: Life) {
        self.run = run
        self.life = life
    }

    /// `ContinuousClock` has no zero, so this is an arbitrary origin; only differences are used.
    static let beginning = ContinuousClock.now

    static func instant(_ nanoseconds: Int64) -> ContinuousClock.Instant {
        beginning + .nanoseconds(nanoseconds)
    }

    static func nanoseconds(_ instant: ContinuousClock.Instant) -> Int64 {
        (instant - beginning).nanoseconds
    }

    /// For a dead process each look at the clock advances an hour. All deadlines pass, so it ends
    /// without delay.
    var now: ContinuousClock.Instant {
        life.step()
        let isOver = life.isDead || run.scheduler.isOver
        guard isOver else { return Self.instant(run.scheduler.now) }
        hours += 1
        return Self.beginning + .seconds(hours * 3600)
    }

    private var hours: Int64 = 0

    var wallClock: Timestamp { run.wallClock(ofSlot: life.slot) }

    var history: Int { run.sabotage == .noticesNoFailover ? 0 : life.book.generation }

    func pause(forAbout duration: Duration) {
        let whole = duration.nanoseconds
        run.scheduler.spend(whole / 2 + Int64(run.scheduler.dice.below(Int(whole / 2 + 1))))
    }

    func openSession(
        lane: Int, to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> ModelSession {
        let session = ModelSession(
            run.database, life, to: destination, lockTimeout: run.lockTimeout)
        session.deadline = deadline
        try session.connect()
        return session
    }

    func openDaySession(
        to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> ModelDaySession {
        let session = ModelSession(
            run.database, life, to: destination, lockTimeout: run.lockTimeout)
        session.deadline = deadline
        try session.connect()
        return ModelDaySession(session)
    }

    func makeLoop(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) -> any WorkLoop {
        SimulatedLoop(run, life, label, every: interval.nanoseconds, wake: wake, tick: tick)
    }
}
