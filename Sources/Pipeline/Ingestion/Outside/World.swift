@preconcurrency import Dispatch
import Channels
import Glibc
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

    /// Makes a loop that calls `wake` after ``WorkLoop/raise()`` and, once it has started, `tick` at
    /// least every `interval`, never two calls at once.
    func makeLoop(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) -> any WorkLoop
}

/// Runs one thing at a time; owns everything mutable in a lane or the spool.
package protocol WorkLoop: AnyObject, Sendable {
    /// Ticks from now on. Its owner keeps the loop first: what a tick begins may be answered, on the
    /// loop, before this returns.
    func start()
    /// From any thread; several raises before the wake become one.
    func raise()
    /// Runs `work` once, after what is running now.
    func run(_ work: @escaping @Sendable () -> Void)
    /// No ticks from now on; what was given to ``run(_:)`` before still runs. Wakes may still come.
    func stop()
}

/// The machine's own clocks, Dispatch's queues, libpq and a directory.
final class SystemWorld: World {
    typealias SpoolDisk = DirectoryDisk

    private let configuration: IngestionConfiguration
    private let settings: ConnectionSettings
    private let coordinator: ConnectionSettings
    private let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - settings: of the configured database; user, password and TLS for all nodes of a cluster.
    ///   - coordinator: on Citus, of its coordinator.
    ///   - clock: the wall clock, for the times that stand in tables.
    init(
        _ configuration: IngestionConfiguration, _ settings: ConnectionSettings,
        coordinator: ConnectionSettings, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.settings = settings
        self.coordinator = coordinator
        self.clock = clock
    }

    var now: ContinuousClock.Instant { .now }

    var wallClock: Timestamp { clock() }

    var history: Int { settings.eras?.generation ?? 0 }

    /// Signals may end it early, which does no harm here.
    func pause(forAbout duration: Duration) {
        let microseconds = duration / .microseconds(1) * Double.random(in: 0.5...1)
        usleep(UInt32(clamping: Int64(max(0, microseconds))))
    }

    func openSession(
        lane: Int, to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresSession {
        let settings = PostgresSession.settings(
            settings(of: destination), configuration, lane: lane)
        return try PostgresSession(
            Connection.open(settings, deadline: deadline), to: destination)
    }

    func openDaySession(
        to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresDaySession {
        var settings = settings(of: destination)
        settings.applicationName = "sluice days"
        settings.sessionSettings["lock_timeout"] =
            "\(configuration.lockWaitMax / .milliseconds(1))ms"
        return try PostgresDaySession(Connection.open(settings, deadline: deadline))
    }

    private func settings(of destination: Destination) -> ConnectionSettings {
        switch destination {
        case .database, .shards(nil, _): settings
        case .coordinator, .shards(.coordinator, _): coordinator
        case .shards(.worker(let host, let port), _): settings.directed(toHost: host, port: port)
        }
    }

    func makeLoop(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) -> any WorkLoop {
        QueueLoop(label, every: interval, wake: wake, tick: tick)
    }
}

/// A serial Dispatch queue with a signal and a timer.
final class QueueLoop: WorkLoop {
    private let queue: DispatchQueue
    private let signal: LaneSignal
    private let timer: any DispatchSourceTimer
    private let interval: Duration

    init(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) {
        self.interval = interval
        queue = DispatchQueue(label: label)
        signal = LaneSignal(queue: queue, wake: wake)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: DispatchWorkItem(block: tick))
        // A source must not be released before it was activated.
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    func start() {
        let milliseconds = max(1, Int(interval / .milliseconds(1)))
        timer.schedule(
            deadline: .now(), repeating: .milliseconds(milliseconds),
            leeway: .milliseconds(milliseconds / 5))
    }

    func raise() { signal.raise() }

    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func stop() { timer.cancel() }
}
