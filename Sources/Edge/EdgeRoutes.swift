import HTTPTypes
import Hummingbird
import Ingestion
import Instruments
import MediaStorage
import Multimedia
import NIOCore

/// The routes that need no hurry: `GET /`, `GET /health`, `GET /metrics`, the document of all routes
/// and the page that shows it; and, where they are served, those of memory captures, of meal
/// logs, of the journal and of the status page. HEAD of each GET too.
struct EdgeRoutes: Sendable {
    let sink: any BatchSink
    let registry: Registry
    var captures: CaptureServices?
    var meals: MealServices?
    var journal: JournalServices?
    var status: StatusServices?
    var metricsNeedKey = false

    /// What a client that asks for the health of a server that takes nothing is told to wait.
    private static let healthRetryAfter = Duration.seconds(5)

    func router() -> Router<RouteContext> {
        let router = Router(context: RouteContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: EnvelopeMiddleware())
        router.add(middleware: LeaveMiddleware())
        router.get("/") { _, _ in Response.json(.ok, #"{"status":"ok"}"#) }
        router.get("/health") { _, _ in
            guard sink.isAvailable else {
                var response = Response.error(
                    .serviceUnavailable, "Database unavailable", in: .detail)
                response.headers[.retryAfter] = RetryAfter.seconds(Self.healthRetryAfter)
                return response
            }
            return Response.json(.ok, #"{"status":"ok"}"#)
        }
        MetricsRoute(registry: registry, access: status?.access, needsKey: metricsNeedKey)
            .add(to: router)
        DocumentRoutes().add(to: router)
        if let status { StatusRoutes(status).add(to: router) }
        // Uploads of both share their places.
        let desk: UploadDesk? =
            if let captures {
                UploadDesk(captures.configuration, captures.media.store.space, registry)
            } else if let journal {
                UploadDesk(journal.configuration, journal.library.space, registry)
            } else {
                nil
            }
        if let captures, let desk {
            UploadRoute(captures, desk).add(to: router)
            MediaRoute(captures).add(to: router)
            MemoryRoutes(captures).add(to: router)
        }
        if let meals {
            MealRoutes(meals, sink).add(to: router)
            FoodRoutes(meals).add(to: router)
            ConsultationRoutes(meals).add(to: router)
        }
        if let journal, let desk {
            JournalEntryRoute(journal, desk).add(to: router)
            JournalFileRoute(journal).add(to: router)
            JournalRoutes(journal).add(to: router)
        }
        return router
    }
}
