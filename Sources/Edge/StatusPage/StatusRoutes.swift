public import Access
import HTTPTypes
import Hummingbird
import NIOCore
public import Postgres
public import Status

/// `/status`: how the server does, for people, and the stream that `sluice top` reads as well.
///
/// - Who may: keys with the scope `status`, those of apps among them; keys of devices not, for they
///   are in every device and the page says where everybody is. In a browser the key is shown once and
///   becomes a session (``StatusSessions``).
/// - At most ``watchersMax`` streams at a time. A report is made once a second for all of them; who
///   reads slowly misses some, who doesn't read is cut off (``StatusStream``).
/// - Nothing that the page loads is from elsewhere, and its policy allows nothing else.
struct StatusRoutes: Sendable {
    /// Streams of reports at a time; one more gets a 503.
    static let watchersMax = 64
    private static let fullRetryAfter = Duration.seconds(10)

    private let services: StatusServices
    private let door: StatusDoor
    private let places: StatusWatchers
    private let positions: LatestPositions

    init(_ services: StatusServices, watchersMax: Int = Self.watchersMax) {
        self.services = services
        door = StatusDoor(access: services.access)
        places = StatusWatchers(max: watchersMax)
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
    /// It came encrypted, here or as far as a proxy in front says.
    fileprivate var isSecure: Bool {
        head.scheme == "https"
            || headers[HTTPField.Name("X-Forwarded-Proto")!]?.lowercased() == "https"
    }
}

/// What the page at `/status` works with.
public struct StatusServices: Sendable {
    let feed: any StatusFeed
    let access: AccessPolicy
    let database: Database

    /// - Parameters:
    ///   - feed: the reports that all who watch see.
    ///   - access: decides who may; keys with ``KeyScope/status``.
    ///   - database: where the last positions are.
    public init(feed: any StatusFeed, access: AccessPolicy, database: Database) {
        self.feed = feed
        self.access = access
        self.database = database
    }
}

/// The cookie that carries a session's token: for `/status` only, out of reach of scripts, and not
/// sent along when a page of another site leads here (RFC 6265bis).
enum StatusCookie {
    static let name = "sluice-status"
    private static let attributes = "Path=/status; HttpOnly; SameSite=Strict"

    /// - Parameter isSecure: it must never go over a connection that is not encrypted.
    static func text(_ token: String, isSecure: Bool) -> String {
        let seconds = StatusSessions.lifetime.components.seconds
        return "\(name)=\(token); \(attributes); Max-Age=\(seconds)" + (isSecure ? "; Secure" : "")
    }

    /// Takes it away.
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
