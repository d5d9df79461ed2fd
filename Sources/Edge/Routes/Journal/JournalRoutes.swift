import HTTPTypes
import Hummingbird
import Multimedia

/// What is in the journal: lists, newest first; single records; and their removal.
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
