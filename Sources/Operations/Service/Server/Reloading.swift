import Access
import Dispatch
import Edge
import Foundation
public import Logging
import Synchronization

/// What SIGHUP asks for: the configuration read again, and put in force as far as that goes without a
/// restart. A configuration with a problem changes nothing.
struct Reloading: Sendable {
    let reread: @Sendable () throws(StartFailure) -> ServiceConfiguration
    /// As the server was started.
    let started: ServiceConfiguration
    /// Those in force when the configuration names none: they were made at the start.
    let ingestKeys: ConfiguredKeys
    let ring: KeyRing
    let access: AccessPolicy
    let refresher: KeyRefresher
    let edge: EdgeServer
    let logger: Logger

    func reload() async {
        let configuration: ServiceConfiguration
        do throws(StartFailure) {
            configuration = try reread()
        } catch {
            logger.error(
                "the configuration has problems; everything stays as it was",
                metadata: ["problems": "\(Self.text(error))"])
            return
        }
        let quota = configuration.keyBytesPerSecond
        let configured = configuration.ingestKeys.flatMap { try? ConfiguredKeys($0.revealed()) }
        ring.replaceConfigured(
            with: configured ?? ingestKeys, application: configuration.applicationKeys,
            bytesPerSecond: quota > 0 ? quota : nil)
        do throws(AccessFault) {
            try await access.replace(with: configuration.access)
        } catch {
            logger.error(
                "who may call stays as it was", metadata: ["problem": "\(error.message)"])
        }
        edge.reload(configuration.fittingEdge, configuration.fittingLimits)
        do {
            try await refresher.refresh()
        } catch {
            logger.warning(
                "issued keys could not be read now; that is tried again",
                metadata: ["error": "\(error)"])
        }
        tellDifferences(configuration)
    }

    /// What differs from the start: at each reading, so that what waits is not forgotten.
    private func tellDifferences(_ configuration: ServiceConfiguration) {
        let differences = configuration.differences(from: started)
        var metadata: Logger.Metadata = [:]
        let waiting = differences.filter { !Settings.reread.contains($0) }
        let reread = differences.filter(Settings.reread.contains)
        if !reread.isEmpty { metadata["changed"] = "\(reread.joined(separator: ", "))" }
        if !waiting.isEmpty { metadata["wait_for_restart"] = "\(waiting.joined(separator: ", "))" }
        logger.notice(
            "configuration read again: keys, tokens, quotas, TLS, limits of requests and readings",
            metadata: metadata)
    }

    private static func text(_ failure: StartFailure) -> String {
        guard case .configuration(let problems) = failure else { return "\(failure)" }
        return problems.problems.map { "\($0.key): \($0.rule)" }.joined(separator: "; ")
    }
}

/// What the operator's signals ask for: stop, then hurry, then end.
///
/// Installed before anything is started, so that a Ctrl-C during a long initdb is not lost: the step
/// at hand is completed, and the next one not begun.
public final class Interruption: Sendable {
    private struct State {
        var count = 0
        var last: ContinuousClock.Instant?
        /// What there is to stop so far.
        var stop: (@Sendable () -> Void)?
        var hurry: (@Sendable () -> Void)?
        var reload: (@Sendable () -> Void)?
        var sources: [any DispatchSourceSignal] = []
    }

    /// Requests closer together than this are one: a terminal and a program that passes signals on
    /// both send a Ctrl-C, and nobody presses it twice so fast.
    static let apartMin: Duration = .milliseconds(300)

    private let state = Mutex(State())
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Listens to nothing yet.
    public convenience init(logger: Logger) {
        self.init(logger: logger) { ContinuousClock.now }
    }

    init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.logger = logger
        self.now = now
    }

    /// From now on SIGINT, SIGTERM and SIGHUP come here and no longer end the process. A reader of
    /// our output that goes away doesn't end it either.
    ///
    /// SIGHUP asks to read the configuration again, or to stop if it comes because the terminal went
    /// away that we were started on; it stays ignored where it was ignored (`nohup`). A shell that
    /// starts us in the background ignores SIGINT for us, which must not make us deaf to it.
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

    /// Whether this process has a controlling terminal that is still there.
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

    /// One more request to stop, by a signal or by whoever runs the server in a process of theirs.
    /// It counts for nothing when it follows hard on another.
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
            logger.notice("stopping; once more to hurry")
            stop?()
        case 2:
            logger.warning("stopping in a hurry")
            hurry?()
        default:
            _exit(130)
        }
    }

    /// One request to read the configuration again; before the server runs there is nothing to do.
    public func requestReload() {
        state.withLock { $0.reload }?()
    }

    /// Says what reading the configuration again does.
    func attach(reload: @escaping @Sendable () -> Void) {
        state.withLock { $0.reload = reload }
    }

    /// Whether anybody has asked to stop.
    public var isRequested: Bool { state.withLock { $0.count > 0 } }

    /// Whether anybody has asked twice.
    public var isHurried: Bool { state.withLock { $0.count > 1 } }

    /// Says what a request does from now on; does at once what was asked for before.
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
