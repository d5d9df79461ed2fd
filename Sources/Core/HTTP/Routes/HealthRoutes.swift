import HTTPTypes
import Hummingbird
import Ingest

/// `GET /` and `GET /livez`: whether the server runs. `GET /health` and `GET /readyz`: whether it
/// accepts readings. For a browser `/` is a page that leads to the others.
struct HealthRoutes: Sendable {
    let sink: any BatchSink

    /// `Retry-After` of `/health` while the server accepts nothing.
    private static let retryAfter = Duration.seconds(5)

    var group: RouteGroup {
        RouteGroup(
            [
                .get("/") { request, _ in
                    request.headers[.accept]?.contains("text/html") == true
                        ? StartPage.response : Self.ok
                },
                .get("/livez") { _, _ in Self.ok },
                .get("/health") { _, _ in try readiness() },
                .get("/readyz") { _, _ in try readiness() },
            ], urgency: .health)
    }

    private static var ok: Response { Response.json(.ok, #"{"status":"ok"}"#) }

    private func readiness() throws(RequestFailure) -> Response {
        guard sink.isAvailable else {
            throw RequestFailure.databaseUnavailable(retryAfter: Self.retryAfter)
        }
        return Self.ok
    }
}
