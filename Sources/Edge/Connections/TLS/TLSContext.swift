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

/// What has been made of a certificate and a key that fit.
struct LoadedTLS: Sendable {
    let context: NIOSSLContext
    /// When the server's certificate runs out, in seconds since 1970.
    let expiresAt: Int64
}

/// Certificate and private key of a server that speaks TLS. There is no plain HTTP on its port.
public struct TLSConfiguration: Sendable, Equatable {
    /// PEM file: the server's certificate first, then those between it and the root.
    public var certificatePath: String
    /// PEM file: the private key of the first certificate, without a passphrase.
    public var keyPath: String
    /// How often the files are looked at; when they have changed, they are read again.
    public var lookInterval: Duration = .seconds(5)
    /// From accepting a connection to the end of its handshake; then it is cut off.
    public var handshakeTimeout: Duration = .seconds(10)

    /// HTTP/2 streams that a connection may have open.
    public var streamsMax = 100
    /// Bytes of a stream's body that may be on their way: what an upload's speed is, in a round trip.
    public var streamWindowBytes = 256 * 1024

    /// - Parameters:
    ///   - certificatePath: PEM file with the chain.
    ///   - keyPath: PEM file with the key.
    public init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    /// What can't work, as field and rule; empty when all is well.
    var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if certificatePath.isEmpty { faults.append(("certificatePath", "not empty")) }
        if keyPath.isEmpty { faults.append(("keyPath", "not empty")) }
        if lookInterval <= .zero { faults.append(("lookInterval", "more than nothing")) }
        if handshakeTimeout <= .zero { faults.append(("handshakeTimeout", "more than nothing")) }
        if !(1...10_000).contains(streamsMax) { faults.append(("streamsMax", "1 to 10000")) }
        if !(65_535...(16 << 20)).contains(streamWindowBytes) {
            faults.append(("streamWindowBytes", "65535 to 16 MiB"))
        }
        return faults
    }
}

/// Why certificate and key can't be used. Nothing of what the files hold is in it.
public enum TLSFault: Error, Equatable, Sendable {
    /// Not there, or not for us to read.
    case unreadable(path: String, errno: Int32)
    /// No certificate in PEM form is in it.
    case noCertificate(path: String)
    /// No private key in PEM form without a passphrase is in it.
    case noKey(path: String)
    /// The key belongs to another certificate, or TLS refuses the two for another reason.
    case mismatch(certificatePath: String, keyPath: String)
}

extension TLSFault: CustomStringConvertible {
    /// What an operator is told: what is wrong, and what to do.
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
            it; openssl pkey -in KEY -out PLAIN takes a passphrase off
            """
        case .mismatch(let certificatePath, let keyPath):
            """
            the key in \(keyPath) is not the one of the first certificate in \(certificatePath): \
            renew both files together, the server's own certificate first in the chain
            """
        }
    }
}

/// Looks at a certificate and its key as the server does at its start.
public enum TLSInspection {
    /// - Returns: when the certificate runs out, in seconds since 1970.
    /// - Throws: why the server could not use the two.
    public static func expiry(_ configuration: TLSConfiguration) throws(TLSFault) -> Int64 {
        try TLSFiles(configuration: configuration).load().expiresAt
    }
}
