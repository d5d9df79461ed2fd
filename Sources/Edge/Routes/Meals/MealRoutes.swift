import HTTPTypes
import Hummingbird
import Ingestion
import Meals

/// Meal logs over HTTP: `/api/v1/meal-logs` and below it.
///
/// A new log is a unit of work on the lanes, as a capture is: answered with a 201 after its COMMIT,
/// or with a 202 when the database is away and it is on disk. Everything else goes to the database,
/// and is a 503 while that is away.
struct MealRoutes: Sendable {
    private let requests: MealRequests
    private let desk: UnitDesk

    init(_ services: MealServices, _ sink: any BatchSink) {
        requests = MealRequests(services)
        desk = UnitDesk(sink, within: services.acknowledgeWithin)
    }

    func add(to router: Router<RouteContext>) {
        let (requests, clock) = (requests, requests.services.clock)
        router.post("/api/v1/meal-logs/natural") { request, _ in
            let user = try await requests.user(of: request)
            return try await store(
                try await requests.read(request) { body throws(MealFault) in
                    try NewMeal(natural: body, user: user, now: clock())
                })
        }
        router.post("/api/v1/meal-logs/batch") { request, _ in
            let user = try await requests.user(of: request)
            return try await store(
                try await requests.read(request) { body throws(MealFault) in
                    try NewMeal(batch: body, user: user, now: clock())
                })
        }
        router.get("/api/v1/meal-logs") { request, _ in
            let user = try await requests.user(of: request)
            let query = RequestQuery(request.uri.query)
            let filter = try MealFilter { query.value($0) }
            return Response.json(
                .ok, try await requests.ask { try MealQueries.logs(filter, ofUser: user, on: $0) })
        }
        router.get("/api/v1/meal-logs/{id}") { request, context in
            let (user, id) = (try await requests.user(of: request), try context.identifier)
            return try Self.response(
                try await requests.ask { try MealQueries.log(id, ofUser: user, on: $0) })
        }
        router.put("/api/v1/meal-logs/{id}") { request, context in
            let (user, id) = (try await requests.user(of: request), try context.identifier)
            let now = clock()
            let edit = try await requests.read(request) { body throws(MealFault) in
                try MealEdit(body, now: now)
            }
            return try Self.response(
                try await requests.ask {
                    try MealQueries.replace(id, with: edit, byUser: user, now: now, on: $0)
                })
        }
        router.delete("/api/v1/meal-logs/{id}") { request, context in
            let (user, id) = (try await requests.user(of: request), try context.identifier)
            return try Self.response(
                try await requests.ask { try MealQueries.delete(id, byUser: user, on: $0) })
        }
    }

    private func store(_ meal: NewMeal) async throws(RouteFailure) -> Response {
        switch await desk.commit(meal.unit) {
        case .settled(let outcome):
            return try Self.response(
                meal.reply(
                    to: outcome, estimatedSeconds: requests.services.estimatedSeconds))
        case .turnedAway(.full(let time)): throw .lanesFull(retryAfter: time)
        case .turnedAway(.shareUsedUp(let time)): throw .laneShareUsedUp(retryAfter: time)
        case .turnedAway(.unavailable(let time)): throw .databaseUnavailable(retryAfter: time)
        case .turnedAway(.taken): preconditionFailure("BUG: taken and turned away")
        case .late: throw .commitLate(retryAfter: Self.lateRetryAfter)
        }
    }

    /// For a log whose fate is not known in time.
    private static let lateRetryAfter = Duration.seconds(10)

    private static func response(_ reply: MealReply) throws(RouteFailure) -> Response {
        var response: Response
        switch reply {
        case .created(let json):
            response = Response.json(.created, json)
            response.headers[.durability] = "committed"
        case .accepted(let json):
            response = Response.json(.accepted, json)
            response.headers[.durability] = "spooled"
        case .foreign: throw .forbidden
        case .unavailable(let time): throw .databaseUnavailable(retryAfter: time)
        case .refused(let sqlState): throw .refusedByDatabase(sqlState: sqlState)
        }
        return response
    }

    private static func response(_ answer: MealAnswer) throws(RouteFailure) -> Response {
        switch answer {
        case .done(let json): return MealRequests.success(json)
        case .foreign: throw .forbidden
        case .notFound: throw .notFound
        }
    }
}
