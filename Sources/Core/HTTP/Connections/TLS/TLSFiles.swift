import NIOSSL

import Glibc

/// Loads certificate and key, and detects whether the files have changed.
struct TLSFiles: Sendable {
    /// Size and hash of a file's content. Modification times would not do: a file can be replaced
    /// twice within one tick of the clock.
    struct Mark: Equatable, Sendable {
        var bytes: Int
        /// Hash of the content, seeded per process.
        var hash: Int
    }

    /// Bytes of a file that are hashed at most.
    private static let bytesMax = 1 << 20

    /// Cipher suites of TLS 1.2: only those with forward secrecy and authenticated encryption, so
    /// none in CBC mode, which HTTP/2 forbids anyway (RFC 9113, appendix A). All suites of TLS 1.3
    /// are of this kind.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    let configuration: TLSConfiguration

    /// Marks of the certificate and the key; nil for a file that can't be read.
    func marks() -> [Mark?] {
        [configuration.certificatePath, configuration.keyPath].map(Self.mark)
    }

    private static func mark(_ path: String) -> Mark? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var hasher = Hasher()
        var bytes = 0
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while bytes < bytesMax {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            piece.withUnsafeBytes {
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            bytes += count
        }
        return Mark(bytes: bytes, hash: hasher.finalize())
    }

    /// Loads the certificate and the key into a context for connections.
    func load() throws(TLSFault) -> LoadedTLS {
        let (certificatePath, keyPath) = (configuration.certificatePath, configuration.keyPath)
        for path in [certificatePath, keyPath] where access(path, R_OK) != 0 {
            throw .unreadable(path: path, errno: errno)
        }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificatePath), let own = chain.first
        else { throw .noCertificate(path: certificatePath) }
        // No passphrase is asked for; by default the library asks on the terminal.
        guard
            let key = try? NIOSSLPrivateKey(
                file: keyPath, format: .pem, passphraseCallback: { $0([UInt8]()) })
        else { throw .noKey(path: keyPath) }
        var configuration = NIOSSL.TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.cipherSuites
        configuration.applicationProtocols = ["h2", "http/1.1"]
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw .mismatch(certificatePath: certificatePath, keyPath: keyPath)
        }
        return LoadedTLS(context: context, expiresAt: Int64(own.notValidAfter))
    }
}

/// The system's text for an `errno`.
func systemMessage(_ code: Int32) -> String {
    String(cString: strerror(code))
}
