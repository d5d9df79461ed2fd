public import Access
import Encodings
import HTTPTypes
import Hummingbird
public import Media

/// Reads the journal: lists, newest first, and single records. Also deletes records and files.
struct JournalRoutes: Sendable {
    private let library: JournalLibrary
    private let path: JournalPath

    init(_ services: JournalServices) {
        library = services.library
        path = JournalPath(services)
    }

    func add(to router: Router<RouteContext>) {
        for kind in JournalKind.allCases where kind != .profilePicture {
            let list = "\(JournalPath.base)/{userId}/\(JournalPath.component(kind))"
            router.get("\(list)") { request, context in
                let user = try await path.admit(request, context).user
                let page = try Self.page(request)
                let filesURL = try path.filesURL(of: user, request)
                return Response.json(
                    .ok,
                    try await library.list(kind, user: user, filesURL: filesURL, page: page))
            }
            router.get("\(list)/{id}") { request, context in
                let user = try await path.admit(request, context).user
                let filesURL = try path.filesURL(of: user, request)
                return try found(
                    await library.item(
                        kind, id: context.parameters.require("id"), user: user, filesURL: filesURL))
            }
            router.delete("\(list)/{id}") { request, context in
                let user = try await path.admit(request, context).user
                return try found(
                    await library.remove(
                        kind, id: context.parameters.require("id"), user: user))
            }
        }
        router.get("\(JournalPath.base)/{userId}/profile-picture") { request, context in
            let user = try await path.admit(request, context).user
            let filesURL = try path.filesURL(of: user, request)
            return try found(await library.profilePicture(user: user, filesURL: filesURL))
        }
        router.delete("\(JournalPath.base)/{userId}/multimedia/files/{fileId}") {
            request, context in
            let user = try await path.admit(request, context).user
            return try found(
                await library.removeFile(context.parameters.require("fileId"), user: user))
        }
    }

    private func found(_ text: String?) throws(RouteFailure) -> Response {
        guard let text else { throw .notFound }
        return Response.json(.ok, text)
    }

    private static func page(_ request: Request) throws(FieldFault) -> JournalPage {
        let query = RequestQuery(request.uri.query)
        return try JournalPage(
            limit: query.value("limit"), offset: query.value("offset"),
            category: query.value("category", plusIsSpace: true),
            groupID: query.value("groupId", plusIsSpace: true))
    }
}

/// The services of the journal's routes.
public struct JournalServices: Sendable {
    let access: AccessPolicy
    let library: JournalLibrary
    let configuration: RouteConfiguration
    let acknowledgeWithin: Duration

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - library: holds records and files.
    ///   - configuration: must have no ``RouteConfiguration/faults``.
    ///   - acknowledgeWithin: time from a complete form to its commit; then the client gets a 503,
    ///     though the record may still be committed.
    public init(
        access: AccessPolicy, library: JournalLibrary,
        configuration: RouteConfiguration = RouteConfiguration(),
        acknowledgeWithin: Duration = .seconds(30)
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.access = access
        self.library = library
        self.configuration = configuration
        self.acknowledgeWithin = acknowledgeWithin
    }
}

/// Paths of the journal, and their authorization.
struct JournalPath: Sendable {
    static let base = "/api/users/user"

    private let door: RouteGuard
    private let publicURL: PublicURL?

    init(_ services: JournalServices) {
        door = RouteGuard(access: services.access, scope: .media)
        publicURL = services.configuration.publicURL.flatMap(PublicURL.init(configured:))
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
    func filesURL(of user: String, _ request: Request) throws(RouteFailure) -> String {
        let base: PublicURL
        if let publicURL { base = publicURL } else { base = try PublicURL(of: request) }
        return "\(base.text)\(Self.base)/\(PercentEncoding.encoded(user))/multimedia/files/"
    }
}
