@preconcurrency import Dispatch
import Channels
import Glibc
package import Postgres
package import Readings
package import SpoolLog

/// Everything that the core does not decide by itself: time, threads, the database and the disk.
///
/// ``SystemWorld`` is the real one. The simulation has one of its own, where a seed decides who
/// runs next, what fails and what a crash leaves.
package protocol World: AnyObject, Sendable {
    associatedtype Session: GroupSession
    associatedtype Days: DaySession
    associatedtype SpoolDisk: Disk

    var now: ContinuousClock.Instant { get }
    var wallClock: Timestamp { get }
    /// Rises when another server takes over from the one that was written to.
    var history: Int { get }

    /// Blocks the caller's loop, for half of `duration` to all of it, so that lanes do not retry in
    /// step.
    func pause(forAbout duration: Duration)

    /// Opens a session for a lane and prepares what a group needs.
    func openSession(
        lane: Int, to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Session

    /// Opens a session for making partitions; on Citus, with the coordinator.
    func openDaySession(
        to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Days

    /// Makes a loop that calls `wake` after ``WorkLoop/raise()`` and, once it has started, `tick`
    /// at least every `interval`, never two calls at once.
    func makeLoop(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) -> any WorkLoop
}
