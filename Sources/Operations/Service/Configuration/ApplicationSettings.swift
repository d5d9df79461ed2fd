import Access
import Analysis
import Edge
import Foundation
import Gemini
import Media

/// The settings of users' apps. The modules' own configurations are made from them.
public struct ApplicationSettings: Sendable {
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
    /// The prefix of file URLs; blank: the address that the client called.
    public var publicURL = ""
    /// See ``Media/MediaLocation``; blank: `media` in the data directory.
    public var mediaStore = ""
    /// The bucket's access key id.
    public var bucketKeyID: Secret?
    /// The bucket's secret access key.
    public var bucketKey: Secret?
    /// The bucket's session token, for keys that expire.
    public var bucketToken: Secret?
    /// The key of the model's service.
    public var modelKey: Secret?
    /// What parses meals written in words.
    public var mealParser = MealParserChoice.local
    /// Directory of word tables; blank: the built-in ones.
    public var wordsDirectory = ""
    /// Hosts that photos may be fetched from, comma-separated.
    public var photoHosts = ""

    /// The defaults.
    public init() {}
}

extension ServiceConfiguration {
    /// The authentication settings.
    var access: AccessConfiguration {
        var access = AccessConfiguration()
        access.tokenSecret = applications.tokenSecret?.revealed()
        access.tokenKeysPath = Self.text(applications.tokenKeysPath)
        access.tokenIssuer = Self.text(applications.tokenIssuer)
        access.tokenAudience = Self.text(applications.tokenAudience)
        access.needsTokenExpiry = applications.needsTokenExpiry
        access.applicationKeys = applications.applicationKeys?.revealed()
        access.isOpenAllowed = applications.isOpenAllowed
        access.trustsPathUser = applications.trustsPathUser
        return access
    }

    /// Keys for all routes except `/ingest`.
    var applicationKeys: ConfiguredKeys {
        // The settings were checked when they were read.
        (try? ConfiguredKeys(applications.applicationKeys?.revealed())) ?? .none
    }

    /// ``edge`` with the TLS files and the public URL.
    var fittingEdge: EdgeConfiguration {
        var edge = edge
        if !applications.certificatePath.isEmpty {
            edge.tls = TLSConfiguration(
                certificatePath: applications.certificatePath, keyPath: applications.keyPath)
        }
        edge.routes.publicURL = Self.text(applications.publicURL)
        return edge
    }

    /// The store for uploaded files.
    func media(in directory: DataDirectory) -> MediaConfiguration {
        let text = applications.mediaStore
        let location =
            text.isEmpty
            ? MediaLocation.directory(path: directory.mediaPath) : try? MediaLocation.parse(text)
        guard let location else { preconditionFailure("BUG: a media store that was checked") }
        var media = MediaConfiguration(location: location)
        media.stagingDirectory = directory.stagingPath
        if let id = applications.bucketKeyID, let key = applications.bucketKey {
            media.credentials = S3Credentials(
                accessKeyID: id.revealed(), secretAccessKey: key.revealed(),
                sessionToken: applications.bucketToken?.revealed())
        }
        return media
    }

    /// ``analysis`` with the public URL, the model's key and the photo hosts.
    var fittingAnalysis: AnalysisConfiguration {
        var analysis = analysis
        analysis.mediaBase = Self.text(applications.publicURL).map {
            ($0.hasSuffix("/") ? String($0.dropLast()) : $0) + "/media/"
        }
        analysis.gemini.key = applications.modelKey?.revealed() ?? ""
        analysis.photoHosts = Self.list(applications.photoHosts).compactMap(PhotoHost.init)
        return analysis
    }

    private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }

    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
