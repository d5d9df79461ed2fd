public import Instruments
public import Logging
public import Postgres
public import ServiceLifecycle
import Synchronization

/// Receives on this node the notices that all nodes post; see `Notices` for how.
public final class NoticeBoard: Service {
    private let settings: ConnectionSettings
    private let configuration: NoticeConfiguration
    private let logger: Logger
    private let subscribers = Mutex<[@Sendable (Notice) -> Void]>([])
    private let desk: Desk
    private let isListening: Gauge
    private let delivered: Counter
    private let losses: Counter

    /// The state of the listener's queue.
    ///
    /// `@unchecked Sendable`: touched on that queue only.
    private final class Desk: @unchecked Sendable {
        var reader = NoticeReader(now: .now)
        var sweptAt = ContinuousClock.now
    }

    /// Does not connect before ``run()``.
    public init(
        settings: ConnectionSettings,
        configuration: NoticeConfiguration = NoticeConfiguration(), registry: Registry,
        logger: Logger
    ) {
        self.settings = settings
        self.configuration = configuration
        self.logger = logger
        desk = Desk()
        isListening = registry.gauge(
            "sluice_notices_listening", help: "1 while this node hears of notices.")
        delivered = registry.counter(
            "sluice_notices_total", help: "Notices that came to this node.")
        losses = registry.counter(
            "sluice_notices_sessions_lost_total", help: "How often this node lost the session.")
    }

    /// Adds a subscriber that gets every notice from now on, for as long as the board lives.
    ///
    /// - Parameter deliver: called on the board's queue, for one notice after another; it must hand
    ///   the notice over and return at once.
    public func subscribe(_ deliver: @escaping @Sendable (Notice) -> Void) {
        subscribers.withLock { $0.append(deliver) }
    }

    /// Listens until the group shuts down or the task is cancelled.
    public func run() async throws {
        var times = Listener.Times()
        times.quietMax = configuration.lookInterval
        let listener = Listener(
            settings, channel: Notices.channel, times: times,
            lost: { [self] error in lost(error) },
            heard: { [self] event, connection in try heard(event, connection) })
        listener.start()
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
        await listener.stop()
        isListening.set(0)
    }

    // MARK: On the listener's queue

    private func heard(_ event: Listener.Event, _ connection: Connection) throws {
        let subscribers = subscribers.withLock { $0 }
        try desk.reader.look(connection) { notice in
            delivered.increment()
            for deliver in subscribers { deliver(notice) }
        }
        if event == .connected {
            isListening.set(1)
            logger.debug("listening for notices")
        }
        if .now - desk.sweptAt > configuration.sweepInterval {
            desk.sweptAt = .now
            do {
                try sweep(connection)
            } catch let error as PostgresError where error.kind == .refused {
                // The next sweep tries again. Delivery goes on, in this session.
                logger.warning("old notices were not removed", metadata: ["error": "\(error)"])
            }
        }
    }

    private func lost(_ error: any Error) {
        if isListening.value == 1 { losses.increment() }
        isListening.set(0)
        logger.log(
            level: PostgresError.isAway(error) ? .debug : .warning,
            "notices of other nodes can't be received; they are read when the database recovers",
            metadata: ["error": "\(error)"])
    }

    private static let sweepMax = 10_000

    /// Deletes old notices, whose ids are, nearly, the lowest. Each transaction deletes a limited
    /// number; the next sweep deletes the remainder.
    private func sweep(_ connection: Connection) throws {
        for _ in 0..<100 {
            connection.deadline = .now + .seconds(10)
            var parameters = Parameters()
            parameters.append(float8: configuration.keptFor / .seconds(1))
            let rows = try connection.query(
                """
                delete from sluice.notice where id = any (array(
                    select id from (
                        select id, posted_at from sluice.notice order by id limit \(Self.sweepMax)
                    ) oldest
                    where posted_at < now() - $1 * interval '1 second'
                ))
                """, parameters)
            guard rows.affectedCount == Self.sweepMax else { return }
        }
    }
}
