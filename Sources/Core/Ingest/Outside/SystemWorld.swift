@preconcurrency import Dispatch
import Glibc
package import Postgres
package import Readings
package import SpoolLog

/// The machine's own clocks, Dispatch's queues, libpq and a directory.
package final class SystemWorld: World {
    package typealias SpoolDisk = DirectoryDisk

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

    package var now: ContinuousClock.Instant { .now }

    package var wallClock: Timestamp { clock() }

    package var history: Int { settings.epochs?.generation ?? 0 }

    /// Signals may end it early, which does no harm here.
    package func pause(forAbout duration: Duration) {
        let microseconds = duration / .microseconds(1) * Double.random(in: 0.5...1)
        usleep(UInt32(clamping: Int64(max(0, microseconds))))
    }

    package func openSession(
        lane: Int, to destination: Destination, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresSession {
        let settings = PostgresSession.settings(
            settings(of: destination), configuration, lane: lane)
        return try PostgresSession(
            Connection.open(settings, deadline: deadline), to: destination)
    }

    package func openDaySession(
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

    package func makeLoop(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) -> any WorkLoop {
        QueueLoop(label, every: interval, wake: wake, tick: tick)
    }
}
