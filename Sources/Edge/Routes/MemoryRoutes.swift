public import Access
import Captures
import HTTPTypes
import Hummingbird
public import Media
import NIOCore
public import Postgres

/// What was made of memory captures: a day's summary, the profile, the contacts; and the profile's
/// beginning.
///
/// What is not there is told with a 200 as its clients know it, `{"status":"not_found",…}`: it is an
/// answer, not an error.
struct MemoryRoutes: Sendable {
    private let database: Database
    private let door: RouteGuard

    init(_ services: CaptureServices) {
        database = services.database
        door = RouteGuard(access: services.access, scope: .captures)
    }

    func add(to router: Router<RouteContext>) {
        router.get("/memories/{user_id}/{date}") { request, context in
            let user = try await user(request, context)
            let date = try PathText.date(context.parameters.require("date"))
            return try await answer { try MemoryQueries.day(date, ofUser: user, on: $0) }
        }
        router.get("/user/{user_id}/profile") { request, context in
            let user = try await user(request, context)
            return try await answer { try MemoryQueries.profile(ofUser: user, on: $0) }
        }
        router.get("/user/{user_id}/contacts") { request, context in
            let user = try await user(request, context)
            return try await answer { try MemoryQueries.contacts(ofUser: user, on: $0) }
        }
        router.post("/init-user/{user_id}") { request, context in
            let user = try await user(request, context)
            let body = try await request.jsonBody(bytesMax: ProfileRequest.bytesMax)
            let profile = try body.withUnsafeBytes { bytes throws(ProfileFault) in
                try ProfileRequest(bytes)
            }
            return try await answer {
                try MemoryQueries.initialize(user: user, profile, on: $0).get()
            }
        }
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

/// What the routes of memory captures work with.
public struct CaptureServices: Sendable {
    let access: AccessPolicy
    let media: MediaLibrary
    let database: Database
    let configuration: RouteConfiguration

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - media: where uploads go and files come from.
    ///   - database: where captures are, and what was made of them.
    ///   - configuration: must have no ``RouteConfiguration/faults``.
    public init(
        access: AccessPolicy, media: MediaLibrary, database: Database,
        configuration: RouteConfiguration = RouteConfiguration()
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.access = access
        self.media = media
        self.database = database
        self.configuration = configuration
    }

    /// Whose file that is. One that was uploaded for nobody in particular, with a key or where nobody
    /// has to show anything, is the capture's owner's; nil where there is no such capture.
    public func owner(of file: MediaFile) async throws -> String? {
        if let owner = file.owner { return owner }
        guard let id = file.path.captureID else { return nil }
        return try await database.withConnection {
            try MemoryQueries.owner(ofCapture: id, on: $0)
        }
    }
}
