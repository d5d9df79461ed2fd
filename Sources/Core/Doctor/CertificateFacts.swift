import Postgres

/// The server's certificate and private key.
public struct CertificateFacts: Sendable {
    /// Path of the certificate chain.
    public var path: String
    /// Path of the private key.
    public var keyPath: String
    /// Why they can't be used, and how to correct it; nil: they can.
    public var fault: String?
    /// Time until the certificate expires; negative: it has expired.
    public var secondsLeft: Int64?
    /// Permissions of the private key's file.
    public var keyMode: UInt32?

    /// Both files, with nothing known about them.
    public init(path: String, keyPath: String) {
        self.path = path
        self.keyPath = keyPath
    }
}
