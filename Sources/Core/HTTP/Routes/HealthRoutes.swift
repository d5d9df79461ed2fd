import HTTPTypes
import Hummingbird
import Ingest

/// `GET /` and `GET /health`: whether the server runs, and whether it accepts readings.
struct HealthRoutes: Sendable {
    let sink: any BatchSink

    /// `Retry-After` of `/health` while the server accepts nothing.
    private static let retryAfter = Duration.seconds(5)

    var group: RouteGroup {
        RouteGroup(
            [
                .get("/") { _, _ in Response.json(.ok, #"{"status":"ok"}"#) },
                .get("/health") { _, _ in
                    guard sink.isAvailable else {
                        throw RequestFailure.databaseUnavailable(retryAfter: Self.retryAfter)
                    }
                    return Response.json(.ok, #"{"status":"ok"}"#)
                },
            ], urgency: .health)
    }
}
