import Access
import Hummingbird
import HTTPTypes
import Multimedia

/// Paths of the journal, and who may use them.
struct JournalPath: Sendable {
    static let base = "/api/users/user"

    private let door: RouteGuard
    private let publicURL: PublicURL?

    init(_ services: JournalServices) {
        door = RouteGuard(access: services.access, scope: .media)
        publicURL = services.configuration.publicURL.flatMap(PublicURL.init(configured:))
    }

    /// What stands in paths for each kind.
    static func component(_ kind: JournalKind) -> String {
        switch kind {
        case .upload: "multimedia"
        case .mood: "moods"
        case .keepsake: "memories"
        case .calendarEntry: "events"
        case .profilePicture: "profile-picture"
        }
    }

    /// The user whose path it is, where the caller may reach him.
    func admit(
        _ request: Request, _ context: RouteContext
    ) async throws -> (user: String, caller: Caller) {
        let user = try Self.user(context)
        return (user, try await door.admit(request, to: user))
    }

    static func user(_ context: RouteContext) throws -> String {
        try PathText.user(context.parameters.require("userId"))
    }

    /// What URLs of a user's files begin with; an id follows.
    func filesURL(of user: String, _ request: Request) throws(RouteFailure) -> String {
        let base: PublicURL
        if let publicURL { base = publicURL } else { base = try PublicURL(of: request) }
        return "\(base.text)\(Self.base)/\(PathText.encoded(user))/multimedia/files/"
    }
}
