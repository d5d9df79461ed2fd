import Dispatch
import Foundation
import Ingest
public import Logging
import Synchronization

/// Tells the service manager that started this process that it is ready, reloads its configuration,
/// stops, and is alive. Without a manager it does nothing.
///
/// Alive means that every event loop answers and Swift's own threads run. An unreachable database
/// is no reason to restart a server that spools, so the status line shows it but heartbeats go on.
/// The spool takes over for lanes that hang.
///
/// While the server stops, heartbeats are sent unconditionally: the timeout announced with the stop
/// limits it.
/// - Source: sd_notify(3), sd_watchdog_enabled(3).
public final class Supervisor: Sendable {
    private enum Phase { case starting, ready, stopping }

    private struct State {
        var phase = Phase.starting
        var status = "starting"
        var isAlive: (@Sendable (Duration) async -> Bool)?
        var condition: (@Sendable () -> String)?
    }

    private let socket: SupervisorSocket?
    /// The manager ends this process after this time without a heartbeat; nil: never.
    let patience: Duration?
    private let logger: Logger
    private let state = Mutex(State())

    /// Heartbeats per ``patience``.
    private static let heartbeatsPerPatience = 3

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are used.
    ///   - processID: the watchdog applies only if `WATCHDOG_PID` is this id or unset.
    public init(environment: [String: String], processID: Int32, logger: Logger) {
        self.logger = logger
        socket = environment["NOTIFY_SOCKET"].flatMap(SupervisorSocket.init)
        if socket == nil, let text = environment["NOTIFY_SOCKET"], !text.isEmpty {
            logger.warning("NOTIFY_SOCKET does not name a usable socket")
        }
        patience = socket == nil ? nil : Self.patience(environment, processID)
    }

    private static func patience(
        _ environment: [String: String], _ processID: Int32
    ) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
            microseconds > 0
        else { return nil }
        if let owner = environment["WATCHDOG_PID"], owner != "\(processID)" { return nil }
        return .microseconds(microseconds)
    }

    // MARK: Messages

    /// Clients can connect from now on.
    func ready(_ status: String) {
        let isFirst = state.withLock { state in
            guard state.phase == .starting else { return false }
            state.phase = .ready
            state.status = status
            return true
        }
        if isFirst { say("READY=1", "STATUS=\(status)") }
    }

    /// Announces that the configuration is being read, runs `body`, and announces readiness again.
    /// Before the server is ready, and once it stops, it only runs `body`.
    func reloading(_ body: () async -> Void) async {
        let isReady = state.withLock { $0.phase == .ready }
        if isReady {
            say("RELOADING=1", "MONOTONIC_USEC=\(Self.monotonicMicroseconds())")
        }
        await body()
        let status = state.withLock { $0.phase == .ready ? $0.status : nil }
        if isReady, let status { say("READY=1", "STATUS=\(status)") }
    }

    /// The server begins to stop, which may take up to `limit`.
    func stopping(within limit: Duration) {
        let isFirst = state.withLock { state in
            guard state.phase != .stopping else { return false }
            state.phase = .stopping
            return true
        }
        guard isFirst else { return }
        let microseconds = limit.components.seconds * 1_000_000
        say("STOPPING=1", "STATUS=stopping", "EXTEND_TIMEOUT_USEC=\(microseconds)")
    }

    // MARK: Heartbeats

    /// Sets what is checked for each heartbeat.
    ///
    /// - Parameters:
    ///   - isAlive: gets the time it may take; called only while the server is ready.
    ///   - condition: the text of the status line; must be quick.
    func attach(
        isAlive: @escaping @Sendable (Duration) async -> Bool,
        condition: @escaping @Sendable () -> String
    ) {
        state.withLock { state in
            state.isAlive = isAlive
            state.condition = condition
        }
    }

    /// Sends heartbeats until the task is cancelled; returns at once if no manager expects them.
    func heartbeat() async {
        guard let patience else { return }
        let interval = patience / Self.heartbeatsPerPatience
        while !Task.isCancelled {
            await heartbeatOnce(within: interval)
            try? await Task.sleep(for: interval)
        }
    }

    /// Before the server is ready, the manager expects no heartbeats.
    private func heartbeatOnce(within limit: Duration) async {
        let (phase, isAlive, condition) = state.withLock { ($0.phase, $0.isAlive, $0.condition) }
        switch phase {
        case .starting: return
        case .stopping: say("WATCHDOG=1")
        case .ready:
            if let isAlive, await !isAlive(limit) {
                logger.critical("an event loop does not answer; no heartbeat is sent")
                return
            }
            say("WATCHDOG=1", "STATUS=\(note(condition?()))")
        }
    }

    /// - Returns: the current status line.
    private func note(_ condition: String?) -> String {
        state.withLock { state in
            if let condition { state.status = condition }
            return state.status
        }
    }

    private func say(_ lines: String...) {
        guard let socket else { return }
        do throws(SupervisorSocket.Fault) {
            try socket.send(lines)
        } catch {
            logger.warning(
                "a message to the service manager failed",
                metadata: ["message": "\(lines[0])", "error": "\(error)"])
        }
    }

    private static func monotonicMicroseconds() -> Int {
        Int(DispatchTime.now().uptimeNanoseconds / 1000)
    }
}

extension Ingestor {
    /// The server's state in a few words, for a status line.
    var condition: String {
        if isDatabaseUp { return "serving" }
        if isAvailable { return "the database is unreachable; batches go to the spool" }
        return "the database is unreachable and the spool takes nothing; batches get a 503"
    }
}
