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

/// The client's side of a TLS connection over a non-blocking socket, which it does not own.
///
/// - Source: OpenSSL manual, `SSL_connect`, `SSL_read_ex`, `SSL_write_ex`.
final class SecureChannel {
    enum Handshake: Equatable {
        case done
        case waits(toWrite: Bool)
        /// - Parameter distrust: the fault of the certificate, if that is the cause.
        case failed(distrust: String?)
    }

    private let session: OpaquePointer

    init(_ context: SecureContext, host: String, socket: Int32) {
        guard let session = SSL_new(context.context) else {
            preconditionFailure("BUG: no TLS session")
        }
        self.session = session
        SSL_set_fd(session, socket)
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) != 1 {
            ERR_clear_error()
            SSL_set1_host(session, host)
            // The macro SSL_set_tlsext_host_name.
            var name = Array(host.utf8CString)
            SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
        }
        SSL_set_connect_state(session)
    }

    deinit {
        SSL_free(session)
    }

    func shakeHands() -> Handshake {
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        if result == 1 { return .done }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .waits(toWrite: false)
        case SSL_ERROR_WANT_WRITE: return .waits(toWrite: true)
        default:
            let verdict = SSL_get_verify_result(session)
            guard verdict != Int(X509_V_OK) else { return .failed(distrust: nil) }
            return .failed(distrust: String(cString: X509_verify_cert_error_string(verdict)))
        }
    }

    /// - Returns: as `recv` does: 0 at the end, -1 with `EAGAIN` if no data is available.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        ERR_clear_error()
        var count = 0
        let result = SSL_read_ex(session, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? count : failure(result)
    }

    /// - Returns: as `send` does. The remainder must be sent again with the same first bytes.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        ERR_clear_error()
        var count = 0
        let result = SSL_write_ex(session, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? count : failure(result)
    }

    private func failure(_ result: Int32) -> Int {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: errno = EAGAIN
        case SSL_ERROR_ZERO_RETURN: return 0
        default: errno = ECONNRESET
        }
        return -1
    }
}
