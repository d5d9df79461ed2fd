/// The server's certificate and its key.
public struct CertificateFacts: Sendable {
    /// Of the chain.
    public var path: String
    /// Of the key.
    public var keyPath: String
    /// Why they can't be used, with what to do; nil: they can.
    public var fault: String?
    /// When the certificate runs out.
    public var secondsLeft: Int64?
    /// Permissions of the key's file.
    public var keyMode: UInt32?

    /// Nothing is known of them.
    public init(path: String, keyPath: String) {
        self.path = path
        self.keyPath = keyPath
    }
}
