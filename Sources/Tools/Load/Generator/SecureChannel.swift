import COpenSSL
import Glibc

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
