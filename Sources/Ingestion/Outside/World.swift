package import Postgres
package import Readings
package import Spooling

/// Everything that the core does not decide by itself: time, threads, the database and the disk.
///
/// ``SystemWorld`` is the real one. The simulation has one of its own, where a seed decides who runs
/// next, what fails and what a crash leaves.
package protocol World: AnyObject, Sendable {
    associatedtype Session: GroupSession
    associatedtype Days: DaySession
    associatedtype SpoolDisk: Disk

    var now: ContinuousClock.Instant { get }
    var wallClock: Timestamp { get }

    /// Blocks the caller's loop, for half of it to the whole, so that lanes do not retry in step.
    func pause(forAbout duration: Duration)

    /// Opens a session for a lane, with all that a group needs prepared.
    func openSession(
        lane: Int, to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Session

    /// Opens a session for making partitions; on Citus, with the coordinator.
    func openDaySession(
        to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Days

    /// Makes a loop that calls `wake` after ``WorkLoop/raise()`` and `tick` at least every
    /// `interval`, never two calls at once.
    func makeLoop(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) -> any WorkLoop
}

/// One thing after the other: the owner of everything mutable in a lane or the spool.
package protocol WorkLoop: AnyObject, Sendable {
    /// From any thread; several raises before the wake become one.
    func raise()
    /// Runs `work` once, behind what is going on.
    func run(_ work: @escaping @Sendable () -> Void)
    /// No ticks and wakes from now on; what was given to ``run(_:)`` before still runs.
    func stop()
}
