import Glibc
public import OperatorErrors

/// Why certificate and key can't be used. Holds nothing of the content of the files.
public enum TLSFault: Error, Equatable, Sendable {
    /// The file does not exist or may not be read.
    case unreadable(path: String, errno: Int32)
    /// The file holds no certificate in PEM form.
    case noCertificate(path: String)
    /// The file holds no private key in PEM form without a passphrase.
    case noKey(path: String)
    /// The key belongs to another certificate, or TLS rejects the two for another reason.
    case mismatch(certificatePath: String, keyPath: String)
}

extension TLSFault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .unreadable(let path, let errno): "\(path) can't be read (\(systemMessage(errno)))"
        case .noCertificate(let path):
            "\(path) holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)"
        case .noKey(let path): "\(path) holds no private key in PEM form without a passphrase"
        case .mismatch(let certificatePath, let keyPath):
            "the key in \(keyPath) does not match the first certificate in \(certificatePath)"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .unreadable: "name an existing PEM file that this user may read"
        case .noCertificate:
            "SLUICE_TLS_CERT names the chain, the server's own certificate first"
        case .noKey:
            "SLUICE_TLS_KEY names it, and openssl pkey -in KEY -out PLAIN removes a passphrase"
        case .mismatch:
            "renew both files together, the server's own certificate first in the chain"
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 { EX_USAGE }
}

extension TLSFault: CustomStringConvertible {
    /// The fault and its remedy, for an operator.
    public var description: String { operatorText }
}
