import Auth
import Captures
import HTTP
import Hummingbird
import Postgres

/// The results of memory captures: a day's summary, the profile, the contacts and the captures
/// themselves; the creation of the profile; and what users change and take back.
///
/// A missing result is a 200 with `{"status":"not_found",…}`, which the clients expect: it is an
/// answer, not an error.
struct MemoryRoutes: Sendable {
    private let database: Database
    private let door: RouteGuard

    init(_ services: CaptureServices) {
        database = services.database
        door = RouteGuard(access: services.access, scope: .captures)
    }

    var routes: [Route] {
        [
            .get("/memories/{user_id}/{date}", label: "/memories") { request, context in
                let user = try await user(request, context)
                let date = try CapturePath.date(context.parameters.require("date"))
                return try await answer { try MemoryQueries.day(date, ofUser: user, on: $0) }
            },
            .post("/init-user/{user_id}", label: "/init-user") { request, context in
                let user = try await user(request, context)
                let body = try await request.jsonBody(bytesMax: ProfileRequest.bytesMax)
                let profile = try body.withUnsafeBytes { bytes throws(ProfileFault) in
                    try ProfileRequest(bytes)
                }
                return try await answer {
                    try MemoryQueries.initialize(user: user, profile, on: $0).get()
                }
            },
            .get("/user/{user_id}/profile", label: "/user/profile") { request, context in
                let user = try await user(request, context)
                return try await answer { try MemoryQueries.profile(ofUser: user, on: $0) }
            },
            .get("/user/{user_id}/contacts", label: "/user/contacts") { request, context in
                let user = try await user(request, context)
                return try await answer { try MemoryQueries.contacts(ofUser: user, on: $0) }
            },
        ] + changes
    }

    /// What users change and take back.
    private var changes: [Route] {
        [
            .put("/user/{user_id}/profile", label: "/user/profile") { request, context in
                let user = try await user(request, context)
                let body = try await request.jsonBody(bytesMax: ProfileRequest.bytesMax)
                let change = try body.withUnsafeBytes { bytes throws(ProfileFault) in
                    try ProfileChange(bytes)
                }
                return try await answer {
                    try MemoryQueries.change(user: user, change, on: $0).get()
                }
            },
            .post("/user/{user_id}/rebuild", label: "/user/rebuild") { request, context in
                let user = try await user(request, context)
                return try await answer { try MemoryQueries.rebuild(user: user, on: $0) }
            },
            .get("/user/{user_id}/captures", label: "/user/captures") { request, context in
                let user = try await user(request, context)
                let page = try CapturePath.page(request.uri.query)
                return try await answer { try MemoryQueries.captures(page, ofUser: user, on: $0) }
            },
            .delete("/user/{user_id}/captures/{capture_id}", label: "/user/captures") {
                request, context in
                let user = try await user(request, context)
                let id = try CapturePath.captureID(context.parameters.require("capture_id"))
                return try await answer {
                    try MemoryQueries.deleteCapture(id, ofUser: user, on: $0)
                }
            },
            .delete("/memories/{user_id}/{date}", label: "/memories") { request, context in
                let user = try await user(request, context)
                let date = try CapturePath.date(context.parameters.require("date"))
                return try await answer { try MemoryQueries.deleteDay(date, ofUser: user, on: $0) }
            },
            .delete("/user/{user_id}/contacts/{name}", label: "/user/contacts") {
                request, context in
                let user = try await user(request, context)
                let name = try CapturePath.name(context.parameters.require("name"))
                return try await answer {
                    try MemoryQueries.deleteContact(name, ofUser: user, on: $0)
                }
            },
        ]
    }

    private func user(
        _ request: Request, _ context: RouteContext
    ) async throws -> String {
        let user = try PathText.user(context.parameters.require("user_id"))
        _ = try await door.admit(request, to: user)
        return user
    }

    private func answer(
        _ query: @escaping @Sendable (Connection) throws -> MemoryAnswer
    ) async throws -> Response {
        Response.json(.ok, try await database.withConnection(query).json)
    }
}
