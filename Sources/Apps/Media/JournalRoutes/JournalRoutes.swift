import HTTP
import Hummingbird
import Media
import Uploads

/// Reads the journal: lists, newest first, and single records. Also changes and deletes records, and
/// deletes files.
struct JournalRoutes: Sendable {
    private let library: JournalLibrary
    private let path: JournalPath

    init(_ services: JournalServices, _ configuration: RouteConfiguration) {
        library = services.library
        path = JournalPath(services.access, configuration)
    }

    /// Those of files first: a file's path must not be taken for that of a record.
    var routes: [Route] {
        let picture = "\(JournalPath.base)/{userId}/profile-picture"
        return [
            .delete("\(JournalPath.base)/{userId}/multimedia/files/{fileId}") { request, context in
                let user = try await path.admit(request, context).user
                return try found(
                    await library.removeFile(context.parameters.require("fileId"), user: user))
            }
        ] + JournalKind.allCases.filter { $0 != .profilePicture }.flatMap(routes) + [
            .get(picture, label: "\(JournalPath.base)/profile-picture") { request, context in
                let user = try await path.admit(request, context).user
                let filesURL = try path.filesURL(of: user, request, context)
                return try found(await library.profilePicture(user: user, filesURL: filesURL))
            }
        ]
    }

    private func routes(_ kind: JournalKind) -> [Route] {
        let list = "\(JournalPath.base)/{userId}/\(JournalPath.component(kind))"
        let label = "\(JournalPath.base)/record"
        return (kind.isChangeable ? [change(kind, "\(list)/{id}", label: label)] : []) + [
            .get(list, label: "\(JournalPath.base)/list") { request, context in
                let user = try await path.admit(request, context).user
                let page = try Self.page(request)
                let filesURL = try path.filesURL(of: user, request, context)
                return Response.json(
                    .ok,
                    try await library.list(kind, user: user, filesURL: filesURL, page: page))
            },
            .get("\(list)/{id}", label: label) { request, context in
                let user = try await path.admit(request, context).user
                let filesURL = try path.filesURL(of: user, request, context)
                return try found(
                    await library.item(
                        kind, id: context.parameters.require("id"), user: user, filesURL: filesURL))
            },
            .delete("\(list)/{id}", label: label) { request, context in
                let user = try await path.admit(request, context).user
                return try found(
                    await library.remove(
                        kind, id: context.parameters.require("id"), user: user))
            },
        ]
    }

    private func change(_ kind: JournalKind, _ record: String, label: String) -> Route {
        .patch(record, label: label) { request, context in
            let user = try await path.admit(request, context).user
            let filesURL = try path.filesURL(of: user, request, context)
            let id = try context.parameters.require("id")
            let body = try await request.jsonBody(bytesMax: JournalChange.bytesMax)
            let change = try body.withUnsafeBytes { bytes throws(FieldFault) in
                try JournalChange(bytes, of: kind)
            }
            return try found(
                await library.change(kind, id: id, user: user, change, filesURL: filesURL))
        }
    }

    private func found(_ text: String?) throws(RequestFailure) -> Response {
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
