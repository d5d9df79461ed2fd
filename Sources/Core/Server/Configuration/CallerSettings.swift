import Auth
import Foundation
import HTTP

/// Who may call, and TLS. The configurations of the modules are made from them.
public struct CallerSettings: Sendable {
    /// The secret of tokens signed with HS256; nil: such tokens are rejected.
    public var tokenSecret: Secret?
    /// JWKS file of tokens signed with ES256 or RS256; blank: such tokens are rejected.
    public var tokenKeysPath = ""
    /// The required `iss`; blank: any.
    public var tokenIssuer = ""
    /// A required member of `aud`; blank: none.
    public var tokenAudience = ""
    /// Rejects tokens without `exp`.
    public var needsTokenExpiry = false
    /// Keys for all routes except `/ingest`, comma-separated.
    public var applicationKeys: Secret?
    /// Allows calls without credentials on any address, not only on loopback.
    public var isOpenAllowed = false
    /// Routes with the user in the path need no credentials.
    public var trustsPathUser = false
    /// PEM file of the certificate chain; blank: plain HTTP.
    public var certificatePath = ""
    /// PEM file of the certificate's private key.
    public var keyPath = ""

    /// The defaults.
    public init() {}
}

extension ServiceConfiguration {
    /// The authentication settings.
    var access: AccessConfiguration {
        var access = AccessConfiguration()
        access.tokenSecret = callers.tokenSecret?.revealed()
        access.tokenKeysPath = Self.text(callers.tokenKeysPath)
        access.tokenIssuer = Self.text(callers.tokenIssuer)
        access.tokenAudience = Self.text(callers.tokenAudience)
        access.needsTokenExpiry = callers.needsTokenExpiry
        access.applicationKeys = callers.applicationKeys?.revealed()
        access.isOpenAllowed = callers.isOpenAllowed
        access.trustsPathUser = callers.trustsPathUser
        return access
    }

    /// Where keys come from that are not in the database, and how many they are.
    public var keySources: [(name: String, count: Int, isApplications: Bool)] {
        let path = DataDirectory(dataDirectory).keyPath
        var sources: [(name: String, count: Int, isApplications: Bool)] = []
        if let keys = try? ConfiguredKeys(ingestKeys?.revealed()), keys.count > 0 {
            sources.append(("SLUICE_INGEST_API_KEY", keys.count, false))
        } else if FileManager.default.fileExists(atPath: path) {
            sources.append((path, 1, false))
        }
        if applicationKeys.count > 0 {
            sources.append(("SLUICE_APP_KEYS", applicationKeys.count, true))
        }
        return sources
    }

    /// Keys for all routes except `/ingest`.
    var applicationKeys: ConfiguredKeys {
        // The settings were checked when they were read.
        (try? ConfiguredKeys(callers.applicationKeys?.revealed())) ?? .none
    }

    /// ``edge`` with the TLS files.
    var fittingEdge: HTTPConfiguration {
        var edge = edge
        if !callers.certificatePath.isEmpty {
            edge.tls = TLSConfiguration(
                certificatePath: callers.certificatePath, keyPath: callers.keyPath)
        }
        return edge
    }

    private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }
}
