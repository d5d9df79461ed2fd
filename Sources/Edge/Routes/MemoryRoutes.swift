public import Access
import Captures
import HTTPTypes
import Hummingbird
public import Media
import NIOCore
public import Postgres

/// The results of memory captures: a day's summary, the profile and the contacts; and the creation
/// of the profile.
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

/// The services of the capture routes.
public struct CaptureServices: Sendable {
    let access: AccessPolicy
    let media: MediaLibrary
    let inspector: Inspector
    let database: Database
    let configuration: RouteConfiguration

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - media: stores uploads and serves files.
    ///   - inspector: finds out what recordings are.
    ///   - database: holds captures and their results.
    ///   - configuration: must have no ``RouteConfiguration/faults``.
    public init(
        access: AccessPolicy, media: MediaLibrary, inspector: Inspector, database: Database,
        configuration: RouteConfiguration = RouteConfiguration()
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.access = access
        self.media = media
        self.inspector = inspector
        self.database = database
        self.configuration = configuration
    }

    /// Decides who may read a capture's file: its owner, and callers who may act for any user.
    ///
    /// - Parameter isNamed: a capture of the caller names the file. Then the caller may also read a
    ///   file without an owner, which came after that capture and with another id.
    public func mayRead(
        _ file: MediaFile, _ caller: Caller, isNamed: Bool = false
    ) async throws -> Bool {
        guard caller.user != nil else { return true }
        guard let owner = try await owner(of: file) else { return isNamed }
        return caller.mayReach(owner)
    }

    /// A file uploaded with a key, or without credentials, belongs to the owner of its capture; nil
    /// if there is no such capture.
    private func owner(of file: MediaFile) async throws -> String? {
        if let owner = file.owner { return owner }
        guard let id = file.path.captureID else { return nil }
        return try await database.withConnection {
            try MemoryQueries.owner(ofCapture: id, on: $0)
        }
    }
}
