import Logging
import NIOSSL
import Readings
import Synchronization

/// The certificate for new connections. A renewed certificate is loaded without a restart, within
/// ``TLSConfiguration/lookInterval`` or at once by ``reload()``.
///
/// Files that can't be used change nothing: the certificate in force stays, and they are tried again
/// at each look, because a read error passes. The fault is logged once for each change of the files.
/// Open connections keep the certificate with which they were
/// made.
final class TLSContext: Sendable {
    private struct State {
        var loaded: LoadedTLS
        /// Of the files that are loaded.
        var marks: [TLSFiles.Mark?]
        /// Of the files whose fault was logged last.
        var toldMarks: [TLSFiles.Mark?]?
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

    /// Checks the files regularly until the task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: configuration.lookInterval)
            reloadIfChanged()
        }
    }

    /// Reloads the files if they differ from those loaded last.
    func reloadIfChanged() {
        let marks = files.marks()
        let (known, told) = state.withLock { ($0.marks, $0.toldMarks) }
        if marks != known { reload(isQuiet: marks == told) }
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
            state.withLock { $0.toldMarks = marks }
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

/// A certificate and its key, loaded.
struct LoadedTLS: Sendable {
    let context: NIOSSLContext
    /// Expiry of the server's certificate, in seconds since 1970.
    let expiresAt: Int64
}

/// Certificate and private key of a server that speaks TLS. Its port then serves no plain HTTP.
public struct TLSConfiguration: Sendable, Equatable {
    /// PEM file: the server's certificate first, then the intermediate ones.
    public var certificatePath: String
    /// PEM file: the private key of the first certificate, without a passphrase.
    public var keyPath: String
    /// How often the files are checked for changes; changed files are reloaded.
    public var lookInterval: Duration = .seconds(5)
    /// Time from accepting a connection to the end of its handshake; then it is cut off.
    public var handshakeTimeout: Duration = .seconds(10)

    /// Open HTTP/2 streams per connection.
    public var streamsMax = 100
    /// Bytes of a stream's body that may be in transit; an upload sends at most this much per round
    /// trip.
    public var streamWindowBytes = 256 * 1024

    /// - Parameters:
    ///   - certificatePath: PEM file with the chain.
    ///   - keyPath: PEM file with the key.
    public init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    /// Invalid settings, each as field and rule; empty if all are valid.
    var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if certificatePath.isEmpty { faults.append(("certificatePath", "not empty")) }
        if keyPath.isEmpty { faults.append(("keyPath", "not empty")) }
        if lookInterval <= .zero { faults.append(("lookInterval", "greater than zero")) }
        if handshakeTimeout <= .zero { faults.append(("handshakeTimeout", "greater than zero")) }
        if !(1...10_000).contains(streamsMax) { faults.append(("streamsMax", "1 to 10000")) }
        if !(65_535...(16 << 20)).contains(streamWindowBytes) {
            faults.append(("streamWindowBytes", "65535 to 16 MiB"))
        }
        return faults
    }
}

/// Why certificate and key can't be used. Holds nothing of the content of the files.
public enum TLSFault: Error, Equatable, Sendable {
    /// The file does not exist or may not be read.
    case unreadable(path: String, errno: Int32)
    /// The file holds no certificate in PEM form.
    case noCertificate(path: String)
    /// The file holds no private key in PEM form without a passphrase.
    case noKey(path: String)
    /// The key belongs to another certificate, or TLS rejects the two for another reason.
    case mismatch(certificatePath: String, keyPath: String)
}

extension TLSFault: CustomStringConvertible {
    /// The fault and its remedy, for an operator.
    public var description: String {
        switch self {
        case .unreadable(let path, let errno):
            """
            \(path) can't be read (\(systemMessage(errno))): name an existing PEM file that this \
            user may read
            """
        case .noCertificate(let path):
            """
            \(path) holds no certificate in PEM form (-----BEGIN CERTIFICATE-----): \
            SLUICE_TLS_CERT names the chain, the server's own certificate first
            """
        case .noKey(let path):
            """
            \(path) holds no private key in PEM form without a passphrase: SLUICE_TLS_KEY names \
            it; openssl pkey -in KEY -out PLAIN removes a passphrase
            """
        case .mismatch(let certificatePath, let keyPath):
            """
            the key in \(keyPath) does not match the first certificate in \(certificatePath): \
            renew both files together, the server's own certificate first in the chain
            """
        }
    }
}

/// Checks a certificate and its key as the server does at its start.
public enum TLSInspection {
    /// - Returns: the expiry of the certificate, in seconds since 1970.
    /// - Throws: why the server could not use the two.
    public static func expiry(_ configuration: TLSConfiguration) throws(TLSFault) -> Int64 {
        try TLSFiles(configuration: configuration).load().expiresAt
    }
}
