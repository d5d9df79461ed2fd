import Auth
import Encodings
import HTTP
import Hummingbird
import Media
import Uploads

/// Paths of the journal, and their authorization.
struct JournalPath: Sendable {
    static let base = "/api/users/user"

    private let door: RouteGuard
    private let publicURL: PublicURL?
    private let proxies: TrustedProxies

    init(_ access: AccessPolicy, _ configuration: RouteConfiguration) {
        door = RouteGuard(access: access, scope: .media)
        publicURL = configuration.publicURL.flatMap(PublicURL.init(configured:))
        proxies = configuration.trustedProxies
    }

    /// The path segment of each kind.
    static func component(_ kind: JournalKind) -> String {
        switch kind {
        case .upload: "multimedia"
        case .mood: "moods"
        case .keepsake: "memories"
        case .calendarEntry: "events"
        case .profilePicture: "profile-picture"
        }
    }

    /// The user whom the path names, if the caller may reach that user's data.
    func admit(
        _ request: Request, _ context: RouteContext
    ) async throws -> (user: String, caller: Caller) {
        let user = try Self.user(context)
        return (user, try await door.admit(request, to: user))
    }

    static func user(_ context: RouteContext) throws -> String {
        try PathText.user(context.parameters.require("userId"))
    }

    /// Base of the URLs of a user's files; a file's id is appended.
    func filesURL(
        of user: String, _ request: Request, _ context: RouteContext
    ) throws(RequestFailure) -> String {
        let base: PublicURL
        if let publicURL {
            base = publicURL
        } else {
            base = try PublicURL(of: request, from: context.channel, trusting: proxies)
        }
        return "\(base.text)\(Self.base)/\(PercentEncoding.encoded(user))/multimedia/files/"
    }
}
