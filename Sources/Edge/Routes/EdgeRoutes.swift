import HTTPTypes
import Hummingbird
import Ingestion
import Instruments
import Media
import NIOCore

/// The routes that are not on the hot path: `GET /`, `GET /health`, `GET /metrics`, the document of
/// all routes and the page that shows it; and, if they are served, those of memory captures, meal
/// logs, the journal and the status page. Each GET also serves HEAD.
struct EdgeRoutes: Sendable {
    let sink: any BatchSink
    let registry: Registry
    var captures: CaptureServices?
    var meals: MealServices?
    var journal: JournalServices?
    var status: StatusServices?
    var metricsNeedKey = false
    var downloadsMax = RouteConfiguration().downloadsMax

    /// `Retry-After` of `/health` while the server accepts nothing.
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
        let downloads = PlaceCounter(max: downloadsMax)
        // Uploads of both systems share one limit.
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
            MediaRoute(captures, downloads).add(to: router)
            MemoryRoutes(captures).add(to: router)
        }
        if let meals {
            MealRoutes(meals, sink).add(to: router)
            FoodRoutes(meals).add(to: router)
            ConsultationRoutes(meals).add(to: router)
        }
        if let journal, let desk {
            JournalEntryRoute(journal, desk, sink).add(to: router)
            JournalFileRoute(journal, downloads).add(to: router)
            JournalRoutes(journal).add(to: router)
        }
        return router
    }
}

/// `GET /openapi.json` and `GET /docs`: the description of all routes, for programs and for people.
struct DocumentRoutes: Sendable {
    func add(to router: Router<RouteContext>) {
        router.get("/openapi.json") { _, _ in
            var response = Response.json(.ok, "")
            response.headers[.cacheControl] = "no-cache"
            // Pages of other origins may read it: it holds no secrets.
            response.headers[.accessControlAllowOrigin] = "*"
            response.body = ResponseBody(byteBuffer: APIDocument.json)
            return response
        }
        router.get("/docs") { _, _ in DocumentationPage().response }
    }
}

/// The limits of the routes of users' apps. Every limit is inclusive.
public struct RouteConfiguration: Sendable {
    /// Base of the URLs of files, such as `https://memories.example.org`. nil means the scheme and
    /// `Host` of the upload that is answered.
    public var publicURL: String?
    /// Bytes of a capture's photo or recording; a larger one gets a 413.
    public var captureBytesMax = 64 * 1024 * 1024
    /// Concurrent uploads, over all connections; one more gets a 503. Each takes up to 300 KiB of
    /// memory.
    public var uploadsMax = 256
    /// Stored files that are sent at a time, over all connections; one more gets a 503. Each is open
    /// meanwhile.
    public var downloadsMax = 2048
    /// Bytes that uploads leave free on their file system, which the spool and the database may
    /// share; with less, uploads get a 507.
    public var freeBytesMin = 2 << 30
    /// Bytes that one user may upload in a day; more get a 429. 0 means no limit. Where no
    /// credentials are required, an address counts as a user.
    public var uploadBytesPerDay = 16 << 30
    /// Files that one user may upload in a day, in the same way.
    public var uploadFilesPerDay = 20_000

    /// Bytes of a body in addition to the file: boundaries, headers, and parts that are ignored.
    static let otherPartsBytesMax = 1024 * 1024

    /// Creates a configuration with the defaults.
    public init() {}

    /// Whether this text is a valid base of the URLs of files.
    public static func isPublicURL(_ text: String) -> Bool {
        PublicURL(configured: text) != nil
    }

    /// Invalid settings, each as field and rule; empty if all are valid.
    public var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if let publicURL, !Self.isPublicURL(publicURL) {
            faults.append(("publicURL", "http:// or https://, a host, and a path if need be"))
        }
        if captureBytesMax < 1024 { faults.append(("captureBytesMax", "at least 1024")) }
        if freeBytesMin < 0 { faults.append(("freeBytesMin", "not negative")) }
        if uploadBytesPerDay < 0 { faults.append(("uploadBytesPerDay", "not negative")) }
        if uploadFilesPerDay < 0 { faults.append(("uploadFilesPerDay", "not negative")) }
        if downloadsMax < 1 { faults.append(("downloadsMax", "at least 1")) }
        if !(1...10_000).contains(uploadsMax) { faults.append(("uploadsMax", "1 to 10000")) }
        return faults
    }
}
