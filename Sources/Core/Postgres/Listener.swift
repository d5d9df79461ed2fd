import Dispatch
import Glibc
import Synchronization

/// A session that listens for NOTIFY on one channel, and reconnects whenever it is lost.
///
/// A notification only says that something happened; the owner reads the details on the same
/// session. Notifications are lost while no session listens. So the owner is also called after each
/// connect, and from time to time while there are no notifications, which detects a dead
/// connection.
public final class Listener: Sendable {
    /// Why the owner is called.
    public enum Event: Sendable {
        /// A new session listens from now on; notifications of earlier commits may be lost.
        case connected
        /// One or more notifications have arrived.
        case notified
        /// No notification has arrived for ``Times/quietMax``.
        case quiet
    }

    /// How long each step may take.
    public struct Times: Sendable {
        /// The interval of calls while there are no notifications.
        public var quietMax: Duration = .seconds(5)
        /// The pause after each call, so that notifications in quick succession become one call; a
        /// single one does not wait.
        public var gap: Duration = .milliseconds(5)
        /// The limit for connecting, and for one call of the owner.
        public var useMax: Duration = .seconds(10)
        /// The first pause before reconnecting; doubled up to `pauseMax`, each shortened at random
        /// by up to half, so that nodes don't reconnect at the same moment.
        public var pauseMin: Duration = .milliseconds(50)
        /// The longest pause.
        public var pauseMax: Duration = .seconds(2)

        /// The defaults.
        public init() {}
    }

    private enum Phase {
        case idle
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped
    }

    private let settings: ConnectionSettings
    private let channel: String
    private let times: Times
    private let queue: DispatchQueue
    private let heard: @Sendable (Event, Connection) throws -> Void
    private let lost: @Sendable (any Error) -> Void
    private let phase = Mutex(Phase.idle)
    /// A socket pair: a byte written to the second, once, ends every wait on the first.
    private let (wakeUp, alarm): (Int32, Int32)

    /// Does not connect before ``start()``.
    ///
    /// - Parameters:
    ///   - channel: a plain lower-case name.
    ///   - lost: called for every failed connect and every lost session.
    ///   - heard: called on the listener's queue with its session, whose deadline is set; may
    ///     block. When it throws, the session is closed and a new one opened.
    public init(
        _ settings: ConnectionSettings, channel: String, times: Times = Times(),
        lost: @escaping @Sendable (any Error) -> Void = { _ in },
        heard: @escaping @Sendable (Event, Connection) throws -> Void
    ) {
        precondition(
            channel.allSatisfy { ("a"..."z").contains($0) || $0 == "_" }, "BUG: \(channel)")
        self.settings = settings
        self.channel = channel
        self.times = times
        self.lost = lost
        self.heard = heard
        queue = DispatchQueue(label: "sluice.listener.\(channel)")
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let isMade = socketpair(AF_UNIX, kind, 0, &ends) == 0
        precondition(isMade, "FATAL: no socket pair, errno \(errno)")
        (wakeUp, alarm) = (ends[0], ends[1])
    }

    deinit {
        close(wakeUp)
        close(alarm)
    }

    /// Begins to listen; may be called once.
    public func start() {
        phase.withLock { phase in
            guard case .idle = phase else { preconditionFailure("BUG: started twice") }
            phase = .running
        }
        queue.async { self.listen() }
    }

    /// Ends the session; no call follows after it has returned.
    public func stop() async {
        await withCheckedContinuation { continuation in
            let isOver = phase.withLock { phase in
                switch phase {
                case .idle, .stopped:
                    phase = .stopped
                    return true
                case .running: phase = .stopping([continuation])
                case .stopping(let others): phase = .stopping(others + [continuation])
                }
                return false
            }
            _ = write(alarm, [1], 1)
            if isOver { continuation.resume() }
        }
    }

    private var isStopping: Bool {
        phase.withLock { phase in
            if case .running = phase { return false }
            return true
        }
    }

    private func listen() {
        var pause = times.pauseMin
        while !isStopping {
            do {
                try listenOnce { pause = times.pauseMin }
            } catch {
                guard !isStopping else { break }
                lost(error)
                sleep(pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, times.pauseMax)
            }
        }
        let waiters = phase.withLock { phase in
            defer { phase = .stopped }
            if case .stopping(let waiters) = phase { return waiters }
            return []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// One session, to its end.
    private func listenOnce(_ connected: () -> Void) throws {
        let connection = try Connection.open(settings, deadline: .now + times.useMax)
        defer { connection.close() }
        try connection.execute("LISTEN \(channel)")
        try call(.connected, connection)
        connected()
        while !isStopping {
            let count = try connection.waitForNotifications(
                until: .now + times.quietMax, orReadable: wakeUp)
            if isStopping { return }
            try call(count > 0 ? .notified : .quiet, connection)
            sleep(times.gap)
        }
    }

    private func call(_ event: Event, _ connection: Connection) throws {
        connection.deadline = .now + times.useMax
        guard !connection.isOutdated else {
            throw PostgresError(.connectionLost, message: "another server has taken over")
        }
        // Detects a dead connection.
        if event == .quiet { try connection.execute("") }
        try heard(event, connection)
    }

    private func sleep(_ duration: Duration) {
        var descriptor = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, Int32(duration / .milliseconds(1)))
    }
}
