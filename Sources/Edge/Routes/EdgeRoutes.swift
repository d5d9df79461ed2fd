import HTTPTypes
import Hummingbird
import Ingestion
import Instruments
import Media
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

/// `GET /openapi.json` and `GET /docs`: what the server can be asked, for programs and for people.
struct DocumentRoutes: Sendable {
    func add(to router: Router<RouteContext>) {
        router.get("/openapi.json") { _, _ in
            var response = Response.json(.ok, "")
            response.headers[.cacheControl] = "no-cache"
            // A page of another origin may read it: nothing in it is secret.
            response.headers[.accessControlAllowOrigin] = "*"
            response.body = ResponseBody(byteBuffer: APIDocument.json)
            return response
        }
        router.get("/docs") { _, _ in DocumentationPage().response }
    }
}

/// What the routes of users' apps put up with. Every limit is inclusive.
public struct RouteConfiguration: Sendable {
    /// What the URLs of files begin with, such as `https://memories.example.org`. nil: scheme and
    /// `Host` of the upload that is answered.
    public var publicURL: String?
    /// Bytes of a capture's photo or recording; more gets a 413.
    public var captureBytesMax = 64 * 1024 * 1024
    /// Uploads at a time, over all connections; one more gets a 503. Each takes up to 300 KiB of
    /// memory.
    public var uploadsMax = 256
    /// Bytes that uploads leave free on the file system they are written to, for the spool and the
    /// database that may be there too; with less, uploads get a 507.
    public var freeBytesMin = 2 << 30
    /// What one user may bring in a day; more gets a 429. 0: no limit. Where nobody has to say who he
    /// is, an address counts as a user.
    public var uploadBytesPerDay = 16 << 30
    /// The same in files.
    public var uploadFilesPerDay = 20_000

    /// What a body may have beside the file: boundaries, headers, and parts that nobody asked for.
    static let otherPartsBytesMax = 1024 * 1024

    /// The defaults.
    public init() {}

    /// Whether URLs of files may begin with that.
    public static func isPublicURL(_ text: String) -> Bool {
        PublicURL(configured: text) != nil
    }

    /// What can't work, as field and rule; empty when all is well.
    public var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if let publicURL, !Self.isPublicURL(publicURL) {
            faults.append(("publicURL", "http:// or https://, a host, and a path if need be"))
        }
        if captureBytesMax < 1024 { faults.append(("captureBytesMax", "at least 1024")) }
        if freeBytesMin < 0 { faults.append(("freeBytesMin", "not negative")) }
        if uploadBytesPerDay < 0 { faults.append(("uploadBytesPerDay", "not negative")) }
        if uploadFilesPerDay < 0 { faults.append(("uploadFilesPerDay", "not negative")) }
        if !(1...10_000).contains(uploadsMax) { faults.append(("uploadsMax", "1 to 10000")) }
        return faults
    }
}
