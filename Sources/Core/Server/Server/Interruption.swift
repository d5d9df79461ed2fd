import Auth
import Dispatch
import HTTP
import Foundation
public import Logging
import Synchronization

/// The requests that the operator's signals make: stop, then hurry, then exit.
///
/// Installed before anything is started, so that a Ctrl-C during a long initdb is not lost: the
/// current step is completed, and the next one does not begin.
public final class Interruption: Sendable {
    private struct State {
        var count = 0
        var last: ContinuousClock.Instant?
        /// Stops what has been started so far.
        var stop: (@Sendable () -> Void)?
        var hurry: (@Sendable () -> Void)?
        var reload: (@Sendable () -> Void)?
        var sources: [any DispatchSourceSignal] = []
    }

    /// Requests closer together than this count as one: for one Ctrl-C, the terminal and a program
    /// that forwards signals both send one. Nobody presses it twice so fast.
    static let apartMin: Duration = .milliseconds(300)

    private let state = Mutex(State())
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Does not handle signals yet.
    public convenience init(logger: Logger) {
        self.init(logger: logger) { ContinuousClock.now }
    }

    init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.logger = logger
        self.now = now
    }

    /// From now on SIGINT, SIGTERM and SIGHUP no longer end the process. Nor does SIGPIPE, when the
    /// reader of its output exits.
    ///
    /// SIGHUP reads the configuration again. If it was sent because the controlling terminal
    /// closed, it is a request to stop; if it was ignored (`nohup`), it stays ignored. SIGINT is
    /// handled even if it was ignored, because shells ignore it for processes in the background.
    public func trapSignals() {
        var numbers = [SIGINT, SIGTERM]
        if !Self.isIgnored(SIGHUP) { numbers.append(SIGHUP) }
        signal(SIGPIPE, SIG_IGN)
        let hasTerminal = Self.hasTerminal()
        state.withLock { state in
            state.sources = numbers.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { [weak self] in
                    let isReload = number == SIGHUP && Self.hasTerminal() == hasTerminal
                    if isReload { self?.requestReload() } else { self?.request() }
                }
                source.activate()
                return source
            }
        }
    }

    /// Whether this process has a controlling terminal that is still open.
    private static func hasTerminal() -> Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Another request to stop, by a signal or by the code that runs the server. Ignored if it
    /// follows another one too closely.
    public func request() {
        let now = now()
        let (count, stop, hurry) = state.withLock { state in
            defer { state.last = now }
            if let last = state.last, now - last < Self.apartMin {
                return (0, state.stop, state.hurry)
            }
            state.count += 1
            return (state.count, state.stop, state.hurry)
        }
        switch count {
        case 0:
            return
        case 1:
            logger.notice("stopping; a second signal hurries")
            stop?()
        case 2:
            logger.warning("stopping in a hurry")
            hurry?()
        default:
            _exit(130)
        }
    }

    /// A request to read the configuration again; ignored before the server runs.
    public func requestReload() {
        state.withLock { $0.reload }?()
    }

    /// Sets what a request to reload does.
    func attach(reload: @escaping @Sendable () -> Void) {
        state.withLock { $0.reload = reload }
    }

    /// Whether a stop was requested.
    public var isRequested: Bool { state.withLock { $0.count > 0 } }

    /// Whether a stop was requested twice.
    public var isHurried: Bool { state.withLock { $0.count > 1 } }

    /// Sets what requests to stop do from now on; carries out earlier requests at once.
    func attach(stop: @escaping @Sendable () -> Void, hurry: @escaping @Sendable () -> Void) {
        let count = state.withLock { state in
            state.stop = stop
            state.hurry = hurry
            return state.count
        }
        if count > 0 { stop() }
        if count > 1 { hurry() }
    }
}
