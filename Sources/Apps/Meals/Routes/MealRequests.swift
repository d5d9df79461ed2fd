import Auth
import HTTP
import HTTPTypes
import Hummingbird
import Meals
import Postgres

/// The common parts of all meal routes: authorization, the acting user, bodies, the database.
struct MealRequests: Sendable {
    let services: MealServices
    private let door: RouteGuard

    init(_ services: MealServices) {
        self.services = services
        door = RouteGuard(access: services.access, scope: .meals)
    }

    /// Authorizes a request.
    ///
    /// - Returns: the user whose data it concerns.
    func user(of request: Request) async throws(RequestFailure) -> String {
        let caller = try await door.admit(request)
        if case .key(let account) = caller {
            let bytes = request.headers[.contentLength].flatMap { Int($0) } ?? 0
            if let wait = account.spend(max(bytes, 0)) { throw .quotaUsedUp(retryAfter: wait) }
        }
        return try ActingUser.of(caller, named: RequestQuery(request.uri.query).value("user_id"))
    }

    /// Reads and decodes a body.
    func read<Value>(
        _ request: Request, _ make: (UnsafeRawBufferPointer) throws(MealFault) -> Value
    ) async throws -> Value {
        let body = try await request.jsonBody(bytesMax: Meals.bodyBytesMax)
        return try body.withUnsafeBytes { bytes throws(MealFault) in try make(bytes) }
    }

    func ask<Value: Sendable>(
        _ query: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await services.database.withConnection(query)
    }

    /// - Parameter json: empty for a 204.
    static func success(_ json: String, _ status: HTTPResponse.Status = .ok) -> Response {
        json.isEmpty ? Response(status: .noContent) : Response.json(status, json)
    }
}
