import NIOSSL

/// What has been made of a certificate and a key that fit.
struct LoadedTLS: Sendable {
    let context: NIOSSLContext
    /// When the server's certificate runs out, in seconds since 1970.
    let expiresAt: Int64
}
