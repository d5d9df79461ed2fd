import Glibc
public import OperatorErrors

/// Why a server must not start, or why it keeps the keys it had.
public enum AccessFault: Error, Equatable, Sendable {
    /// Everybody who can reach the address could read and write every user's data.
    case open(host: String)
    /// So short a secret could be found by trying.
    case secretTooShort(bytesMin: Int)
    /// A configured key is malformed.
    case applicationKey(ConfiguredKeys.Fault)
    /// The JWKS file does not exist, can't be read or is too large.
    case keysUnreadable(path: String)
    /// The file is not a JWKS document.
    case keysMalformed(path: String)
    /// The file has no P-256 key and no RSA key of 2048 to 8192 bits for signatures.
    case noUsableKey(path: String)
}

extension AccessFault: OperatorError {
    /// What is wrong and, in most, how to correct it.
    public var sentence: String {
        switch self {
        case .open(let host):
            """
            listening on \(host) would let everybody read and write every user's captures, meals \
            and media. Set SLUICE_JWT_SECRET, SLUICE_JWT_KEYS or SLUICE_APP_KEYS, or issue a key \
            (sluice keys create NAME --scope captures,meals,media); or listen on 127.0.0.1; or say \
            that it is meant so, with --allow-open
            """
        case .secretTooShort(let bytesMin):
            "SLUICE_JWT_SECRET must have at least \(bytesMin) bytes (openssl rand -base64 32)"
        case .applicationKey(.notPrintable(let position)):
            "SLUICE_APP_KEYS: key \(position) has a character that no HTTP header can carry"
        case .applicationKey(.tooLong(let position)):
            "SLUICE_APP_KEYS: key \(position) is longer than \(ConfiguredKeys.keyBytesMax) bytes"
        case .keysUnreadable(let path):
            "SLUICE_JWT_KEYS: \(path) can't be read"
        case .keysMalformed(let path):
            "SLUICE_JWT_KEYS: \(path) is no JWKS document ({\"keys\":[…]}, RFC 7517)"
        case .noUsableKey(let path):
            """
            SLUICE_JWT_KEYS: \(path) has no public key for ES256 (P-256) or RS256 \
            (RSA, \(TokenKey.modulusBitsMin) to \(TokenKey.modulusBitsMax) bits)
            """
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 { EX_USAGE }
}
