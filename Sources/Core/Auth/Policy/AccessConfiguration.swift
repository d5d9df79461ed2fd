/// Who may call the routes of users' apps. By default everybody may, and the server must then
/// listen on loopback.
public struct AccessConfiguration: Sendable {
    /// Shared secret for tokens signed with HS256, at least 32 bytes; nil: such tokens are refused.
    public var tokenSecret: String?
    /// A JWKS file with the public keys for tokens signed with ES256 or RS256; read again when it
    /// changes. nil: such tokens are refused.
    public var tokenKeysPath: String?
    /// Required value of `iss` in a token; nil: any.
    public var tokenIssuer: String?
    /// A value that `aud` of a token must contain; nil: any.
    public var tokenAudience: String?
    /// Tolerated difference between the clock of a token's issuer and ours.
    public var tokenLeeway: Duration = .seconds(30)
    /// Tokens without `exp` are refused.
    public var needsTokenExpiry = false
    /// Keys for everything but `/ingest`, comma-separated.
    public var applicationKeys: String?
    /// Lets everybody use the apps' routes on any address, and under any host name, as long as none
    /// of the settings above is set. The status stays closed there; see ``AccessPolicy``.
    public var isOpenAllowed = false
    /// Routes of apps that name the user in the path (captures, the journal) need no credentials. A
    /// token or key that is sent is checked all the same. For a network whose clients are trusted.
    public var trustsPathUser = false

    /// No secret, no keys; open on loopback only.
    public init() {}

    /// Whether callers must show a token or a key.
    var isConfigured: Bool {
        tokenSecret != nil || tokenKeysPath != nil
            || (try? ConfiguredKeys(applicationKeys)).map { $0.count > 0 } ?? true
    }

    /// Settings that can't work or that would be unsafe; empty if there are none. A server with a
    /// fault must not start.
    ///
    /// - Parameters:
    ///   - host: the address that the server will listen on.
    ///   - mayHaveIssuedKeys: the table contains a key for apps, which closes these routes as a
    ///     configured key does; or the table has not been read yet.
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

    /// Whether everybody may call as long as nothing is set and no key is issued.
    func mayBeOpen(on host: String) -> Bool {
        isOpenAllowed || Self.isLoopback(host)
    }

    /// Whether only this machine can reach `host`. A name other than `localhost` may resolve to any
    /// address.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { $0 >= 0x30 } }
    }
}

extension AccessConfiguration: CustomStringConvertible, CustomReflectable {
    /// Hides the contents.
    public var description: String { "AccessConfiguration(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
