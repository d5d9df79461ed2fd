public import Access
import Encodings
import HTTPTypes
import Hummingbird
import Ingestion
import Meals
public import Postgres
public import Readings

/// Meal logs over HTTP: `/api/v1/meal-logs` and below.
///
/// A new log is a unit of work on the lanes, like a capture. The answer is a 201 after its COMMIT,
/// or a 202 if the database is unreachable and the log is on disk. All other requests need the
/// database and get a 503 while it is unreachable.
struct MealRoutes: Sendable {
    private let requests: MealRequests
    private let desk: UnitDesk
    private let durability: Durability

    init(_ services: MealServices, _ sink: any BatchSink) {
        requests = MealRequests(services)
        desk = UnitDesk(sink, within: services.acknowledgeWithin)
        durability = sink.durability
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
        let outcome = try await desk.outcome(of: meal.unit)
        return try response(
            meal.reply(to: outcome, estimatedSeconds: requests.services.estimatedSeconds))
    }

    private func response(_ reply: MealReply) throws(RouteFailure) -> Response {
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

/// The services of the meal routes and sockets.
public struct MealServices: Sendable {
    let access: AccessPolicy
    let database: Database
    let estimatedSeconds: Int
    let acknowledgeWithin: Duration
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - database: holds logs, foods and consultations.
    ///   - estimatedSeconds: the parsing time that a client is told.
    ///   - acknowledgeWithin: time from a log to its commit; then the client is asked to look
    ///     later, though it may still be committed.
    ///   - clock: the wall clock.
    public init(
        access: AccessPolicy, database: Database, estimatedSeconds: Int = 1,
        acknowledgeWithin: Duration = .seconds(30), clock: @escaping @Sendable () -> Timestamp
    ) {
        self.access = access
        self.database = database
        self.estimatedSeconds = estimatedSeconds
        self.acknowledgeWithin = acknowledgeWithin
        self.clock = clock
    }
}

/// The user for whom a caller of meal logs acts, if the path names none.
enum ActingUser {
    /// The user of anonymous callers who name no user.
    static let nobody = "local"

    /// With a token, the user is the token's; API-key and anonymous callers may act for any user,
    /// whom the query's `user_id` names.
    ///
    /// - Parameter named: the query's `user_id`. With a token it may only repeat the token's user.
    /// - Throws: ``RouteFailure/forbidden``, ``RouteFailure/userMissing``,
    ///   ``RouteFailure/userInvalid``.
    static func of(_ caller: Caller, named: String?) throws(RouteFailure) -> String {
        if let named, !caller.mayReach(named) { throw .forbidden }
        let user: String
        switch caller {
        case .user(let own, _): user = own
        case .anybody: user = named ?? nobody
        case .key:
            guard let named else { throw .userMissing }
            user = named
        }
        guard Meals.isUserID(user) else { throw .userInvalid }
        return user
    }
}

extension RouteContext {
    /// The `{id}` of the path, percent-decoded.
    var identifier: String {
        get throws {
            guard let id = PercentEncoding.decodedText(try parameters.require("id")) else {
                throw RouteFailure.notFound
            }
            return id
        }
    }
}

extension HTTPField.Name {
    /// `X-Durability`: the promise that an answer gives.
    static let durability = HTTPField.Name("X-Durability")!
}

/// `POST /api/v1/consultations`: creates a consultation, whose socket is `…/{id}/ws`.
struct ConsultationRoutes: Sendable {
    private let requests: MealRequests

    init(_ services: MealServices) {
        requests = MealRequests(services)
    }

    func add(to router: Router<RouteContext>) {
        let (requests, clock) = (requests, requests.services.clock)
        router.post("/api/v1/consultations") { request, _ in
            let user = try await requests.user(of: request)
            let consultation = try await requests.read(request) { body throws(MealFault) in
                try Consultations.create(body, forUser: user, now: clock())
            }
            return Response.json(
                .created, try await requests.ask { try Consultations.store(consultation, on: $0) })
        }
    }
}
