import Auth
import HTTPTypes
import Hummingbird
import NIOCore
import Postgres
import Status

/// `/status`: the state of the server, for people, and the stream that `sluice top` reads, too.
///
/// - Access: keys with the scope `status`, which configured keys of apps have. Keys of devices
///   don't have it, because they are on every device and the page shows where everybody is. In a
///   browser the key is entered once and becomes a session (``StatusSessions``).
/// - At most ``watchersMax`` streams at a time. One report a second is made for all of them. A slow
///   reader misses some, and one that does not read is cut off (``StatusStream``).
/// - The page loads nothing from elsewhere, and its policy allows nothing else.
struct StatusRoutes: Sendable {
    /// Concurrent streams of reports; one more gets a 503.
    static let watchersMax = 64
    private static let fullRetryAfter = Duration.seconds(10)

    private let services: StatusServices
    private let door: StatusAuthenticator
    private let places: PlaceCounter<ClientAddress>
    private let positions: LatestPositions
    private let heard: HeardDevices

    init(
        _ services: StatusServices, refusals: RefusalBoard, watchersMax: Int = Self.watchersMax
    ) {
        self.services = services
        door = StatusAuthenticator(access: services.access)
        places = PlaceCounter(max: watchersMax)
        positions = LatestPositions(database: services.database)
        heard = HeardDevices(database: services.database, refusals: refusals)
    }

    var group: RouteGroup {
        RouteGroup(
            [
                .get("/status") { request, _ in try await page(request) },
                .get("/status/page/{file}") { _, context in
                    let name = try context.parameters.require("file")
                    guard let file = StatusPage.Part(rawValue: name) else {
                        throw RequestFailure.notFound
                    }
                    return file.response
                },
                .post("/status/session") { request, context in
                    try await signIn(request, context)
                },
                .delete("/status/session") { request, _ in
                    door.signOut(request)
                    return Response(
                        status: .noContent,
                        headers: [.cacheControl: "no-store", .setCookie: StatusCookie.expired])
                },
                .get("/status/events") { request, context in try await events(request, context) },
                .get("/status/positions") { request, _ in
                    _ = try await door.admit(request)
                    return Self.fresh(try await positions.json())
                },
                .get("/status/devices") { request, _ in
                    _ = try await door.admit(request)
                    return Self.fresh(await heard.json())
                },
            ], urgency: .probe)
    }

    private static func fresh(_ json: String) -> Response {
        var response = Response.json(.ok, json)
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func events(_ request: Request, _ context: RouteContext) async throws -> Response {
        let pass = try await door.admit(request)
        guard let place = try? places.take(nil) else {
            throw RequestFailure.watchersTooMany(retryAfter: Self.fullRetryAfter)
        }
        return StatusStream(services.feed, place, on: context.channel) {
            await door.isGood(pass)
        }.response
    }

    private func page(_ request: Request) async throws -> Response {
        do throws(RequestFailure) {
            let pass = try await door.admit(request)
            return StatusPage.page(isSession: pass.isSession)
        } catch  where error == .unauthorized {
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
    var isSecure: Bool {
        head.scheme == "https"
            || headers[HTTPField.Name("X-Forwarded-Proto")!]?.lowercased() == "https"
    }
}
