import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ListenerTests {
    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "listener", migrated: false)
        connection = try Connection.open(settings, deadline: .now + .seconds(60))
    }

    /// The calls that a listener's owner received.
    private final class Log: Sendable {
        struct Entry {
            let event: Listener.Event
            let backend: Int32
        }

        private let state = Mutex<[Entry]>([])
        let losses = Mutex(0)

        var entries: [Entry] { state.withLock { $0 } }

        func append(_ event: Listener.Event, _ connection: Connection) {
            let entry = Entry(event: event, backend: connection.backendID)
            state.withLock { $0.append(entry) }
        }

        /// Waits until it has this many events of one kind.
        func holds(_ count: Int, _ event: Listener.Event) async throws -> Bool {
            try await eventually { entries.count { $0.event == event } >= count }
        }
    }

    private func listener(_ log: Log, quietMax: Duration = .seconds(60)) -> Listener {
        var times = Listener.Times()
        times.quietMax = quietMax
        return Listener(
            settings, channel: "news", times: times,
            lost: { _ in log.losses.withLock { $0 += 1 } },
            heard: { event, connection in log.append(event, connection) })
    }

    @Test func `the owner is called when the listener is connected and at each notification`()
        async throws
    {
        let log = Log()
        let listener = listener(log)
        listener.start()
        #expect(try await log.holds(1, .connected))
        try connection.execute("NOTIFY news")
        #expect(try await log.holds(1, .notified))
        try connection.execute("NOTIFY other")
        try connection.execute("NOTIFY news")
        #expect(try await log.holds(2, .notified))
        await listener.stop()
        #expect(log.entries.map(\.event) == [.connected, .notified, .notified])
        #expect(log.losses.withLock { $0 } == 0)
    }

    @Test func `a session that the server terminates is replaced`() async throws {
        let log = Log()
        let listener = listener(log)
        listener.start()
        for number in 1...3 {
            #expect(try await log.holds(number, .connected))
            let backend = try #require(log.entries.last).backend
            try connection.execute("SELECT pg_terminate_backend(\(backend), 60000)")
        }
        #expect(try await log.holds(4, .connected))
        try connection.execute("NOTIFY news")
        #expect(try await log.holds(1, .notified))
        await listener.stop()
        #expect(log.losses.withLock { $0 } == 3)
    }

    @Test func `the owner is called from time to time without notifications`() async throws {
        let log = Log()
        let listener = listener(log, quietMax: .milliseconds(20))
        listener.start()
        #expect(try await log.holds(3, .quiet))
        await listener.stop()
    }

    @Test func `after an owner's failure it is called again with a new session`() async throws {
        let log = Log()
        let listener = Listener(
            settings, channel: "news",
            lost: { _ in log.losses.withLock { $0 += 1 } },
            heard: { event, connection in
                log.append(event, connection)
                if log.entries.count < 3 { throw PostgresError(.refused) }
            })
        listener.start()
        #expect(try await log.holds(3, .connected))
        await listener.stop()
        #expect(Set(log.entries.map(\.backend)).count == 3)
    }

    @Test
    func `a stop takes effect at once, also before the start and while the server is unreachable`()
        async throws
    {
        let log = Log()
        let idle = listener(log)
        await idle.stop()
        var nowhere = settings
        nowhere.database = "is_not_there"
        // A stop that waited for the end of the pause would not return.
        for pause: Duration in [.milliseconds(1), .seconds(86_400)] {
            var times = Listener.Times()
            (times.pauseMin, times.pauseMax) = (pause, pause)
            let before = log.losses.withLock { $0 }
            let away = Listener(
                nowhere, channel: "news", times: times,
                lost: { _ in log.losses.withLock { $0 += 1 } },
                heard: { event, connection in log.append(event, connection) })
            away.start()
            let tries = pause < .seconds(1) ? 2 : 1
            #expect(try await eventually { log.losses.withLock { $0 } >= before + tries })
            await away.stop()
        }
        #expect(log.entries.isEmpty)
    }

    @Test func `notifications are counted, and the wait ends at its deadline`() throws {
        try connection.execute("LISTEN news")
        let other = try Connection.open(settings, deadline: .now + .seconds(60))
        let began = ContinuousClock.now
        #expect(try connection.waitForNotifications(until: .now + .milliseconds(50)) == 0)
        #expect(.now - began >= .milliseconds(50))
        try other.execute("NOTIFY news, '1'; NOTIFY news, '2'; NOTIFY news, '2'")
        #expect(try connection.waitForNotifications(until: .now + .seconds(60)) == 2)
        try connection.execute("NOTIFY news")
        #expect(try connection.waitForNotifications(until: .now) == 1)
        try other.execute("SELECT pg_terminate_backend(\(connection.backendID), 60000)")
        #expect(throws: PostgresError.self) {
            try connection.waitForNotifications(until: .now + .seconds(60))
        }
        #expect(!connection.isOpen)
    }
}
