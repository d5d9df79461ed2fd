public import Access
import HTTPTypes
import Hummingbird
import NIOCore
public import Postgres
public import Status

/// `/status`: the state of the server, for people, and the stream that `sluice top` reads, too.
///
/// - Access: keys with the scope `status`, which configured keys of apps have. Keys of devices don't
///   have it, because they are on every device and the page shows where everybody is. In a browser
///   the key is entered once and becomes a session (``StatusSessions``).
/// - At most ``watchersMax`` streams at a time. One report a second is made for all of them. A slow
///   reader misses some, and one that does not read is cut off (``StatusStream``).
/// - The page loads nothing from elsewhere, and its policy allows nothing else.
struct StatusRoutes: Sendable {
    /// Concurrent streams of reports; one more gets a 503.
    static let watchersMax = 64
    private static let fullRetryAfter = Duration.seconds(10)

    private let services: StatusServices
    private let door: StatusDoor
    private let places: PlaceCounter
    private let positions: LatestPositions

    init(_ services: StatusServices, watchersMax: Int = Self.watchersMax) {
        self.services = services
        door = StatusDoor(access: services.access)
        places = PlaceCounter(max: watchersMax)
        positions = LatestPositions(database: services.database)
    }

    func add(to router: Router<RouteContext>) {
        router.get("/status") { request, _ in try await page(request) }
        router.get("/status/page/{file}") { _, context in
            guard let file = StatusPage.Part(rawValue: try context.parameters.require("file"))
            else { throw RouteFailure.notFound }
            return file.response
        }
        router.get("/status/events") { request, context in
            let pass = try await door.admit(request)
            guard let place = places.take() else {
                throw RouteFailure.watchersTooMany(retryAfter: Self.fullRetryAfter)
            }
            return StatusStream(services.feed, place, on: context.channel) {
                await door.isGood(pass)
            }.response
        }
        router.get("/status/positions") { request, _ in
            _ = try await door.admit(request)
            var response = Response.json(.ok, try await positions.json())
            response.headers[.cacheControl] = "no-store"
            response.headers[.xContentTypeOptions] = "nosniff"
            return response
        }
        router.post("/status/session") { request, context in
            try await signIn(request, context)
        }
        router.delete("/status/session") { request, _ in
            door.signOut(request)
            return Response(
                status: .noContent,
                headers: [.cacheControl: "no-store", .setCookie: StatusCookie.expired])
        }
    }

    private func page(_ request: Request) async throws -> Response {
        do throws(RouteFailure) {
            let pass = try await door.admit(request)
            return StatusPage.page(isSession: pass.isSession)
        } catch .unauthorized {
            return StatusPage.signIn()
        }
    }

    private func signIn(_ request: Request, _ context: RouteContext) async throws -> Response {
        let form = try await request.formBody(bytesMax: 4096)
        let key = RequestQuery(String(decoding: form, as: UTF8.self))
            .value("key", plusIsSpace: true)
        switch try await door.signIn(
            key ?? "", request, from: ClientAddress(context.channel))
        {
        case .opened(let token):
            return Response(
                status: .seeOther,
                headers: [
                    .location: "/status", .cacheControl: "no-store",
                    .setCookie: StatusCookie.text(token, isSecure: request.isSecure),
                ])
        case .needless:
            return Response(
                status: .seeOther, headers: [.location: "/status", .cacheControl: "no-store"])
        case .wrong:
            return StatusPage.signIn(
                status: .forbidden, message: "That key doesn’t open this page.")
        case .tooOften(let retryAfter):
            var response = StatusPage.signIn(
                status: .tooManyRequests,
                message: "Too many wrong keys from your address. Try again in a minute.")
            response.headers[.retryAfter] = RetryAfter.seconds(retryAfter)
            return response
        }
    }
}

extension Request {
    /// The request came encrypted, here or according to a proxy in front.
    fileprivate var isSecure: Bool {
        head.scheme == "https"
            || headers[HTTPField.Name("X-Forwarded-Proto")!]?.lowercased() == "https"
    }
}

/// The services of the status page.
public struct StatusServices: Sendable {
    let feed: any StatusFeed
    let access: AccessPolicy
    let database: Database

    /// - Parameters:
    ///   - feed: the reports for all watchers.
    ///   - access: decides who may watch: keys with ``KeyScope/status``.
    ///   - database: holds the last positions.
    public init(feed: any StatusFeed, access: AccessPolicy, database: Database) {
        self.feed = feed
        self.access = access
        self.database = database
    }
}

/// The cookie with a session's token: for `/status` only, hidden from scripts, and not sent with
/// requests from pages of other sites (RFC 6265bis).
enum StatusCookie {
    static let name = "sluice-status"
    private static let attributes = "Path=/status; HttpOnly; SameSite=Strict"

    /// - Parameter isSecure: the cookie is only sent over encrypted connections.
    static func text(_ token: String, isSecure: Bool) -> String {
        let seconds = StatusSessions.lifetime.components.seconds
        return "\(name)=\(token); \(attributes); Max-Age=\(seconds)" + (isSecure ? "; Secure" : "")
    }

    /// Deletes the cookie.
    static let expired = "\(name)=; \(attributes); Max-Age=0"

    /// The token in a `Cookie` field.
    static func token(in field: String?) -> String? {
        guard let field else { return nil }
        for pair in field.split(separator: ";") {
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(name + "=") else { continue }
            let token = pair.dropFirst(name.utf8.count + 1)
            return token.isEmpty ? nil : String(token)
        }
        return nil
    }
}
