import NIOSSL
import Synchronization

/// A certificate and its key, loaded.
struct LoadedTLS: Sendable {
    let context: NIOSSLContext
    /// Expiry of the server's certificate, in seconds since 1970.
    let expiresAt: Int64
}
