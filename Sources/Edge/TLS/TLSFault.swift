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
