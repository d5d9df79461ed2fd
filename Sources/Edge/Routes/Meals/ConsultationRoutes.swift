import Hummingbird
import Meals

/// `POST /api/v1/consultations`: begins a consultation, whose socket is `…/{id}/ws`.
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
