/// Who may call the routes that users' apps call. Without a word about it: everybody, as long as the
/// server listens on loopback.
public struct AccessConfiguration: Sendable {
    /// Shared secret of tokens signed with HS256, at least 32 bytes; nil: such tokens are refused.
    public var tokenSecret: String?
    /// A JWKS file with the public keys of tokens signed with ES256 or RS256; it is read again when
    /// it changes. nil: such tokens are refused.
    public var tokenKeysPath: String?
    /// What `iss` of a token must be; nil: anything.
    public var tokenIssuer: String?
    /// What `aud` of a token must contain; nil: anything.
    public var tokenAudience: String?
    /// How far the clocks of those who make tokens may differ from ours.
    public var tokenLeeway: Duration = .seconds(30)
    /// Tokens without `exp` are refused.
    public var needsTokenExpiry = false
    /// Keys for all but `/ingest`, comma-separated.
    public var applicationKeys: String?
    /// Lets everybody in on any address as long as nothing of the above is set.
    public var isOpenAllowed = false
    /// Routes of apps that name the user in the path (captures, the journal) need no credentials; a
    /// token or key that is sent is checked all the same. For a network whose clients are trusted.
    public var trustsPathUser = false

    /// The defaults.
    public init() {}

    /// Somebody has to show something.
    var isConfigured: Bool {
        tokenSecret != nil || tokenKeysPath != nil
            || (try? ConfiguredKeys(applicationKeys)).map { $0.count > 0 } ?? true
    }

    /// What can't work or must not be; empty when all is well. A server with a fault must not start.
    ///
    /// - Parameters:
    ///   - host: what it is going to listen on.
    ///   - mayHaveIssuedKeys: a key for apps is in the table, which makes callers show one just as a
    ///     configured one does; or the table has not been read yet.
    public func faults(host: String, mayHaveIssuedKeys: Bool = false) -> [AccessFault] {
        var faults: [AccessFault] = []
        if let secret = tokenSecret, secret.utf8.count < TokenKey.secretBytesMin {
            faults.append(.secretTooShort(bytesMin: TokenKey.secretBytesMin))
        }
        do throws(ConfiguredKeys.Fault) {
            _ = try ConfiguredKeys(applicationKeys)
        } catch {
            faults.append(.applicationKey(error))
        }
        if !isConfigured, !mayHaveIssuedKeys, !mayBeOpen(on: host) {
            faults.append(.open(host: host))
        }
        return faults
    }

    /// Everybody may call as long as nothing is set and no key is issued.
    func mayBeOpen(on host: String) -> Bool {
        isOpenAllowed || Self.isLoopback(host)
    }

    /// Only this machine can reach it. A name other than `localhost` may mean anything.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { $0 >= 0x30 } }
    }
}

extension AccessConfiguration: CustomStringConvertible, CustomReflectable {
    /// Nothing of what it holds.
    public var description: String { "AccessConfiguration(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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
        }
    }
}
