import Logging
import NIOSSL
import Readings
import Synchronization

/// The certificate that new connections get, and who looks after it: a renewed one is taken over
/// without a restart, within ``TLSConfiguration/lookInterval`` or at once by ``reload()``.
///
/// Files that can't be used change nothing: the certificate in force stays so, and what is wrong
/// with the new ones is logged once for each change of the files. Connections that are open keep
/// what they were made with.
final class TLSContext: Sendable {
    private struct State {
        var loaded: LoadedTLS
        var marks: [TLSFiles.Mark?]
    }

    let configuration: TLSConfiguration
    private let files: TLSFiles
    private let state: Mutex<State>
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp

    /// A certificate that runs out within this is warned of.
    private static let expiryWarningSeconds: Int64 = 7 * 24 * 3600

    /// - Throws: what is wrong with the files.
    init(
        _ configuration: TLSConfiguration, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) throws(TLSFault) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        files = TLSFiles(configuration: configuration)
        // The marks come first: what is written meanwhile will look new.
        let marks = files.marks()
        state = Mutex(State(loaded: try files.load(), marks: marks))
        warnOfExpiry()
    }

    /// For one more connection.
    var current: NIOSSLContext { state.withLock { $0.loaded.context } }

    /// When the certificate in force runs out, in seconds since 1970.
    var expiresAt: Int64 { state.withLock { $0.loaded.expiresAt } }

    /// Looks at the files until the task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: configuration.lookInterval)
            reloadIfChanged()
        }
    }

    /// Reads the files again if they are not those that were read last.
    func reloadIfChanged() {
        let marks = files.marks()
        if marks != state.withLock({ $0.marks }) { reload() }
    }

    /// Reads the files again.
    func reload() {
        let marks = files.marks()
        do throws(TLSFault) {
            let loaded = try files.load()
            state.withLock { $0 = State(loaded: loaded, marks: marks) }
            logger.notice(
                "certificate read again", metadata: ["expires": "\(Self.text(loaded.expiresAt))"])
            warnOfExpiry()
        } catch {
            state.withLock { $0.marks = marks }
            logger.error(
                "the certificate can't be used; the one before stays in force",
                metadata: ["fault": "\(error)"])
        }
    }

    private func warnOfExpiry() {
        let left = expiresAt - clock().unixSeconds
        guard left < Self.expiryWarningSeconds else { return }
        logger.warning(
            left < 0 ? "the certificate has run out" : "the certificate runs out soon",
            metadata: [
                "path": "\(configuration.certificatePath)", "expires": "\(Self.text(expiresAt))",
            ])
    }

    private static func text(_ unixSeconds: Int64) -> String {
        Timestamp(unixSeconds: unixSeconds).secondsText
    }
}
