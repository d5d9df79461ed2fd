import Encodings
import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import Meals
import Postgres
import Readings

/// Meal logs over HTTP: `/api/v1/meal-logs` and below.
///
/// A new log is a unit of work on the lanes, like a capture. The answer is a 201 after its COMMIT,
/// or a 202 if the database is unreachable and the log is on disk. All other requests need the
/// database and get a 503 while it is unreachable.
struct MealRoutes: Sendable {
    private let requests: MealRequests
    private let desk: UnitAdmission
    private let durability: Durability

    init(_ services: MealServices, _ sink: any BatchSink) {
        requests = MealRequests(services)
        desk = UnitAdmission(sink, within: services.acknowledgeWithin)
        durability = sink.durability
    }

    var routes: [Route] {
        let (requests, clock) = (requests, requests.services.clock)
        return [
            .post("/api/v1/meal-logs/natural") { request, _ in
                let user = try await requests.user(of: request)
                let key = try IdempotencyKey.of(request)
                return try await store(
                    try await requests.read(request) { body throws(MealFault) in
                        try NewMeal(natural: body, user: user, key: key, now: clock())
                    }, of: user)
            },
            .post("/api/v1/meal-logs/batch") { request, _ in
                let user = try await requests.user(of: request)
                let key = try IdempotencyKey.of(request)
                return try await store(
                    try await requests.read(request) { body throws(MealFault) in
                        try NewMeal(batch: body, user: user, key: key, now: clock())
                    }, of: user)
            },
            .get("/api/v1/meal-logs") { request, _ in
                let user = try await requests.user(of: request)
                let query = RequestQuery(request.uri.query)
                let filter = try MealFilter { query.value($0) }
                return Response.json(
                    .ok,
                    try await requests.ask { try MealQueries.logs(filter, ofUser: user, on: $0) })
            },
            .get("/api/v1/meal-logs/{id}") { request, context in
                let (user, id) = (try await requests.user(of: request), try context.identifier)
                return try Self.response(
                    try await requests.ask { try MealQueries.log(id, ofUser: user, on: $0) })
            },
            .put("/api/v1/meal-logs/{id}") { request, context in
                let (user, id) = (try await requests.user(of: request), try context.identifier)
                let now = clock()
                let edit = try await requests.read(request) { body throws(MealFault) in
                    try MealEdit(body, now: now)
                }
                return try Self.response(
                    try await requests.ask {
                        try MealQueries.replace(id, with: edit, byUser: user, now: now, on: $0)
                    })
            },
            .patch("/api/v1/meal-logs/{id}") { request, context in
                let (user, id) = (try await requests.user(of: request), try context.identifier)
                let now = clock()
                let change = try await requests.read(request) { body throws(MealFault) in
                    try MealChange(body, now: now)
                }
                return try Self.response(
                    try await requests.ask {
                        try MealQueries.change(id, change, byUser: user, now: now, on: $0)
                    })
            },
            .delete("/api/v1/meal-logs/{id}") { request, context in
                let (user, id) = (try await requests.user(of: request), try context.identifier)
                return try Self.response(
                    try await requests.ask { try MealQueries.delete(id, byUser: user, on: $0) })
            },
        ]
    }

    private func store(_ meal: NewMeal, of user: String) async throws -> Response {
        let outcome = try await desk.outcome(of: meal.unit)
        if outcome == .committed(IdempotencyKey.different) {
            throw RequestFailure.idempotencyKeyReused
        }
        // A request with the same Idempotency-Key was first: its log is the answer, as it is now.
        if outcome == .committed("same") {
            let log = try await requests.ask {
                try MealQueries.log(meal.id, ofUser: user, on: $0)
            }
            guard case .done(let json) = log else { throw RequestFailure.idempotentItemDeleted }
            return try response(.created(json: json))
        }
        return try response(
            meal.reply(to: outcome, estimatedSeconds: requests.services.estimatedSeconds))
    }

    private func response(_ reply: MealReply) throws(RequestFailure) -> Response {
        var response: Response
        switch reply {
        case .created(let json):
            response = Response.json(.created, json)
            response.headers[.durability] = durability.rawValue
        case .accepted(let json):
            response = Response.json(.accepted, json)
            response.headers[.durability] = "spooled"
        case .foreign: throw .forbidden
        case .unavailable(let time): throw .databaseUnavailable(retryAfter: time)
        case .refused: throw .refusedByDatabase
        }
        return response
    }

    private static func response(_ answer: MealAnswer) throws(RequestFailure) -> Response {
        switch answer {
        case .done(let json): return MealRequests.success(json)
        case .foreign: throw .forbidden
        case .notFound: throw .notFound
        }
    }
}

extension RouteContext {
    /// The `{id}` of the path, percent-decoded.
    var identifier: String {
        get throws {
            guard let id = PercentEncoding.decodedText(try parameters.require("id")) else {
                throw RequestFailure.notFound
            }
            return id
        }
    }
}
