import Access
import Analysis
import Edge
import Foundation
import Gemini
import Media

/// What serving users' apps takes beside telemetry, as settings spell it. The modules' own
/// configurations are made from it.
public struct ApplicationSettings: Sendable {
    /// Of tokens signed with HS256; nil: such tokens are refused.
    public var tokenSecret: Secret?
    /// JWKS file of tokens signed with ES256 or RS256; blank: such tokens are refused.
    public var tokenKeysPath = ""
    /// What `iss` must be; blank: anything.
    public var tokenIssuer = ""
    /// What `aud` must contain; blank: anything.
    public var tokenAudience = ""
    /// Tokens without `exp` are refused.
    public var needsTokenExpiry = false
    /// Keys for all but `/ingest`, comma-separated.
    public var applicationKeys: Secret?
    /// Everybody may call on any address.
    public var isOpenAllowed = false
    /// Routes that name the user in the path need no credentials.
    public var trustsPathUser = false
    /// PEM file of the chain; blank: plain HTTP.
    public var certificatePath = ""
    /// PEM file of the key.
    public var keyPath = ""
    /// What URLs of files begin with; blank: as the client called us.
    public var publicURL = ""
    /// See ``MediaStorage/MediaLocation``; blank: `media` in the data directory.
    public var mediaStore = ""
    /// Of a bucket.
    public var bucketKeyID: Secret?
    /// Of a bucket.
    public var bucketKey: Secret?
    /// Of a bucket, for keys that expire.
    public var bucketToken: Secret?
    /// Of the model's service.
    public var modelKey: Secret?
    /// What reads meals that are written in words.
    public var mealParser = MealParserChoice.local
    /// Directory of tables of words; blank: the built-in ones.
    public var wordsDirectory = ""
    /// Hosts that photos may be fetched from, comma-separated.
    public var photoHosts = ""

    /// The defaults.
    public init() {}
}

extension ServiceConfiguration {
    /// Who may call.
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

    /// Keys for all but `/ingest`.
    var applicationKeys: ConfiguredKeys {
        // Settings have checked them.
        (try? ConfiguredKeys(applications.applicationKeys?.revealed())) ?? .none
    }

    /// ``edge`` with what other settings add to it.
    var fittingEdge: EdgeConfiguration {
        var edge = edge
        if !applications.certificatePath.isEmpty {
            edge.tls = TLSConfiguration(
                certificatePath: applications.certificatePath, keyPath: applications.keyPath)
        }
        edge.routes.publicURL = Self.text(applications.publicURL)
        return edge
    }

    /// Where uploads go.
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

    /// ``analysis`` with what other settings add to it.
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
