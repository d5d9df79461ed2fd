import Dispatch
import Foundation
public import Logging
import Synchronization

/// What the service manager that started this process hears of it: that it is ready, reads its
/// configuration again, stops, and is alive. Without such a manager nothing is said to anybody.
///
/// Alive means that every event loop and Swift's own threads run what they are given. A database
/// that is away is no reason to restart a server that spools meanwhile, so it is in the status line
/// and not in the heartbeat; lanes that hang are passed over by the spool.
///
/// While the server stops, heartbeats go on unconditionally: what bounds a stop is the time that was
/// announced with it.
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
    /// After so long without a heartbeat the manager ends this process; nil: it never does.
    let patience: Duration?
    private let logger: Logger
    private let state = Mutex(State())

    /// How many heartbeats there are in the manager's patience.
    private static let beatsPerPatience = 3

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are looked at.
    ///   - processID: the manager's patience is for this process only.
    public init(environment: [String: String], processID: Int32, logger: Logger) {
        self.logger = logger
        socket = environment["NOTIFY_SOCKET"].flatMap(SupervisorSocket.init)
        if socket == nil, let text = environment["NOTIFY_SOCKET"], !text.isEmpty {
            logger.warning("NOTIFY_SOCKET names no socket that can be used")
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

    // MARK: What there is to say

    /// Clients can come in from now on.
    func ready(_ status: String) {
        let isFirst = state.withLock { state in
            guard state.phase == .starting else { return false }
            state.phase = .ready
            state.status = status
            return true
        }
        if isFirst { say("READY=1", "STATUS=\(status)") }
    }

    /// Says that the configuration is being read again, and after `body` that it was. Before the
    /// server is ready, and once it stops, only `body` is done.
    func reloading(_ body: () async -> Void) async {
        let isReady = state.withLock { $0.phase == .ready }
        if isReady {
            say("RELOADING=1", "MONOTONIC_USEC=\(Self.monotonicMicroseconds())")
        }
        await body()
        let status = state.withLock { $0.phase == .ready ? $0.status : nil }
        if isReady, let status { say("READY=1", "STATUS=\(status)") }
    }

    /// The server begins to stop, which may take `limit`.
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

    /// Says what is looked at for each heartbeat.
    ///
    /// - Parameters:
    ///   - isAlive: told how long it may take; asked only while the server is ready.
    ///   - condition: for the status line; must be quick.
    func attach(
        isAlive: @escaping @Sendable (Duration) async -> Bool,
        condition: @escaping @Sendable () -> String
    ) {
        state.withLock { state in
            state.isAlive = isAlive
            state.condition = condition
        }
    }

    /// Sends heartbeats until the task is cancelled; returns at once when nobody wants them.
    func beat() async {
        guard let patience else { return }
        let interval = patience / Self.beatsPerPatience
        while !Task.isCancelled {
            await beatOnce(within: interval)
            try? await Task.sleep(for: interval)
        }
    }

    /// What a manager waits for before the server is ready is not a heartbeat.
    private func beatOnce(within limit: Duration) async {
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

    /// - Returns: the status line that holds.
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
                "the service manager could not be told",
                metadata: ["message": "\(lines[0])", "error": "\(error)"])
        }
    }

    private static func monotonicMicroseconds() -> Int {
        Int(DispatchTime.now().uptimeNanoseconds / 1000)
    }
}
