import HTTP
import HTTPTypes
import Hummingbird
import Meals

/// Users' own foods (`/api/v1/user-foods`) and the search of all foods (`/api/v1/foods`).
struct FoodRoutes: Sendable {
    private let requests: MealRequests

    init(_ services: MealServices) {
        requests = MealRequests(services)
    }

    var routes: [Route] {
        let requests = requests
        return [
            .get("/api/v1/foods") { request, _ in
                let user = try await requests.user(of: request)
                let filter = try Self.filter(request)
                return Response.json(
                    .ok,
                    try await requests.ask { try FoodQueries.search(filter, forUser: user, on: $0) }
                )
            },
            .get("/api/v1/user-foods") { request, _ in
                let user = try await requests.user(of: request)
                let filter = try Self.filter(request)
                return Response.json(
                    .ok,
                    try await requests.ask { try FoodQueries.foods(filter, ofUser: user, on: $0) })
            },
            .post("/api/v1/user-foods") { request, _ in
                let user = try await requests.user(of: request)
                let food = try await requests.read(request) { body throws(MealFault) in
                    try UserFoodRequest(body)
                }
                return try Self.response(
                    try await requests.ask { try FoodQueries.create(food, forUser: user, on: $0) },
                    .created)
            },
            .get("/api/v1/user-foods/{id}") { request, context in
                let (user, id) = (try await requests.user(of: request), try context.identifier)
                return try Self.response(
                    try await requests.ask { try FoodQueries.food(id, ofUser: user, on: $0) })
            },
            .put("/api/v1/user-foods/{id}") { request, context in
                let (user, id) = (try await requests.user(of: request), try context.identifier)
                let food = try await requests.read(request) { body throws(MealFault) in
                    try UserFoodRequest(body)
                }
                return try Self.response(
                    try await requests.ask {
                        try FoodQueries.replace(id, with: food, byUser: user, on: $0)
                    })
            },
            .delete("/api/v1/user-foods/{id}") { request, context in
                let (user, id) = (try await requests.user(of: request), try context.identifier)
                return try Self.response(
                    try await requests.ask { try FoodQueries.delete(id, byUser: user, on: $0) })
            },
        ]
    }

    private static func filter(_ request: Request) throws(MealFault) -> FoodFilter {
        let query = RequestQuery(request.uri.query)
        return try FoodFilter { query.value($0, plusIsSpace: true) }
    }

    private static func response(
        _ answer: UserFoodAnswer, _ status: HTTPResponse.Status = .ok
    ) throws(RequestFailure) -> Response {
        switch answer {
        case .done(let json): return MealRequests.success(json, status)
        case .foreign: throw .forbidden
        case .notFound: throw .notFound
        case .nameTaken: throw .foodNameTaken
        case .tooMany: throw .foodsTooMany
        }
    }
}
