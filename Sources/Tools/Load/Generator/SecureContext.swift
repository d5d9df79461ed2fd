import COpenSSL
import Glibc

/// Verifies servers for TLS clients. One for all connections of a run.
public final class SecureContext: @unchecked Sendable {
    // `@unchecked`: only `init` changes the context, and OpenSSL locks its reference count.

    /// The trusted certificate authorities.
    public enum Trust: Sendable, Equatable {
        /// The certificate authorities of this system.
        case system
        /// The authorities in a PEM file.
        case file(String)
        /// No verification: any certificate is accepted.
        case anybody
    }

    /// Why there is no context.
    public enum Fault: Error, Equatable {
        /// The file can't be read, or holds no certificate.
        case fileUnusable(String)
    }

    private static let sslControlMode: Int32 = 33
    private static let modePartialWriteMovingBuffer = 0x1 | 0x2

    let context: OpaquePointer

    /// - Parameter trust: how servers are verified.
    public init(_ trust: Trust) throws(Fault) {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            preconditionFailure("BUG: no TLS context")
        }
        self.context = context
        // The macro SSL_CTX_set_mode.
        SSL_CTX_ctrl(
            context, Self.sslControlMode, Self.modePartialWriteMovingBuffer, nil)
        switch trust {
        case .system: SSL_CTX_set_default_verify_paths(context)
        case .file(let path):
            guard SSL_CTX_load_verify_file(context, path) == 1 else { throw .fileUnusable(path) }
        case .anybody: break
        }
        SSL_CTX_set_verify(context, trust == .anybody ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count))
        // Writing to a closed connection must not end the process.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        SSL_CTX_free(context)
    }
}
