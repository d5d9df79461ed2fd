import Logging
import NIOSSL
import Readings
import Repetition
import Synchronization

/// The certificate for new connections. A renewed certificate is loaded without a restart, within
/// ``TLSConfiguration/lookInterval`` or at once by ``reload()``.
///
/// Files that can't be used change nothing: the certificate in force stays, and they are tried
/// again at each look, because a read error passes. The fault is logged once for each change of the
/// files. Open connections keep the certificate with which they were made.
final class TLSContext: Sendable {
    private struct State {
        var loaded: LoadedTLS
        /// Of the files that are loaded.
        var marks: [TLSFiles.Mark?]
        /// Of the files whose fault was logged last.
        var loggedMarks: [TLSFiles.Mark?]?
    }

    let configuration: TLSConfiguration
    private let files: TLSFiles
    private let state: Mutex<State>
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp

    /// Time before expiry from which a warning is logged.
    private static let expiryWarningSeconds: Int64 = 7 * 24 * 3600

    /// - Throws: the fault of the files.
    init(
        _ configuration: TLSConfiguration, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) throws(TLSFault) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        files = TLSFiles(configuration: configuration)
        // The marks come first, so that a file written meanwhile looks changed.
        let marks = files.marks()
        state = Mutex(State(loaded: try files.load(), marks: marks))
        warnOfExpiry()
    }

    /// The context for one more connection.
    var current: NIOSSLContext { state.withLock { $0.loaded.context } }

    /// Expiry of the certificate in force, in seconds since 1970.
    var expiresAt: Int64 { state.withLock { $0.loaded.expiresAt } }

    /// Checks the files regularly until the server stops.
    func watch() async {
        let interval = configuration.lookInterval
        await Repetition.run(every: interval, after: interval) { self.reloadIfChanged() }
    }

    /// Reloads the files if they differ from those loaded last.
    func reloadIfChanged() {
        let marks = files.marks()
        let (known, logged) = state.withLock { ($0.marks, $0.loggedMarks) }
        if marks != known { reload(isQuiet: marks == logged) }
    }

    /// Reloads the files.
    ///
    /// - Parameter isQuiet: a fault is not logged.
    func reload(isQuiet: Bool = false) {
        let marks = files.marks()
        do throws(TLSFault) {
            let loaded = try files.load()
            state.withLock { $0 = State(loaded: loaded, marks: marks) }
            logger.notice(
                "certificate reloaded", metadata: ["expires": "\(Self.text(loaded.expiresAt))"])
            warnOfExpiry()
        } catch {
            state.withLock { $0.loggedMarks = marks }
            if isQuiet { return }
            logger.error(
                "the certificate can't be used; the one before stays in force",
                metadata: ["fault": "\(error)"])
        }
    }

    private func warnOfExpiry() {
        let left = expiresAt - clock().unixSeconds
        guard left < Self.expiryWarningSeconds else { return }
        logger.warning(
            left < 0 ? "the certificate has expired" : "the certificate expires soon",
            metadata: [
                "path": "\(configuration.certificatePath)", "expires": "\(Self.text(expiresAt))",
            ])
    }

    private static func text(_ unixSeconds: Int64) -> String {
        Timestamp(unixSeconds: unixSeconds).secondsText
    }
}
