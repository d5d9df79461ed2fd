/// Why a server must not start, or goes on with the keys it had.
public enum AccessFault: Error, Equatable, Sendable {
    /// Everybody who can reach the address could read and write every user's data.
    case open(host: String)
    /// A secret that short could be found by trying.
    case secretTooShort(bytesMin: Int)
    /// One of the configured keys.
    case applicationKey(ConfiguredKeys.Fault)
    /// The JWKS file is not there, may not be read or is too large.
    case keysUnreadable(path: String)
    /// The file holds something else.
    case keysMalformed(path: String)
    /// No key of the file is one of P-256, or one of RSA with 2048 to 8192 bits, for signatures.
    case noUsableKey(path: String)
    /// The cryptographic library refused a key; which should not happen.
    case keyRefused
}

extension AccessFault {
    /// What an operator is told: what is wrong, and what to do.
    public var message: String {
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
        case .keyRefused:
            "SLUICE_JWT_SECRET can't be used as a key"
        }
    }
}
