import HTTP
import Hummingbird
import Meals
import Readings

/// `POST /api/v1/consultations`: creates a consultation, whose socket is `…/{id}/ws`.
struct ConsultationRoutes: Sendable {
    private let requests: MealRequests

    init(_ services: MealServices) {
        requests = MealRequests(services)
    }

    var route: Route {
        let (requests, clock) = (requests, requests.services.clock)
        return .post("/api/v1/consultations") { request, _ in
            let user = try await requests.user(of: request)
            let consultation = try await requests.read(request) { body throws(MealFault) in
                try Consultations.create(body, forUser: user, now: clock())
            }
            return Response.json(
                .created, try await requests.ask { try Consultations.store(consultation, on: $0) })
        }
    }
}
