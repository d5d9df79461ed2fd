import Auth
import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct RoutePathTests {
    /// Targets, and the labels of their routes.
    private static let targets: [(target: String, label: String)] = [
        ("/ingest", "/ingest"),
        ("/ingest/", "/ingest"),
        ("/ingest?x", "/ingest"),
        ("/ingest//", "/ingest"),
        ("//ingest", "/ingest"),
        ("///ingest//?a=//", "/ingest"),
        ("http://h//ingest/", "/ingest"),
        ("//", "/"),
        ("http://h//", "/"),
        ("/", "/"),
        ("/?x", "/"),
        ("/health/", "/health"),
        ("/metrics#x", "/metrics"),
        ("/metric", "other"),
        ("*", "other"),
        ("", "other"),
        ("http://h/ingest", "/ingest"),
        ("http://h", "/"),
        ("https://h/health?x", "/health"),
        ("example.org:443", "other"),
        ("/http://h/ingest", "other"),
        ("http:///ingest", "/ingest"),
        ("/api/v1/meal-logs?x", "/api/v1/meal-logs"),
        ("/api/v1/meal-logs/natural", "/api/v1/meal-logs/natural"),
        ("/api/v1/meal-logs/batch/", "/api/v1/meal-logs/batch"),
        ("/api/v1/meal-logs/7", "/api/v1/meal-logs/{id}"),
        ("/api/v1/consultations", "/api/v1/consultations"),
        ("/ws/meal-logs?token=x", "/ws/meal-logs"),
        ("/api/v1/consultations/7/ws", "/api/v1/consultations/{id}/ws"),
        ("/api/v1/foods", "/api/v1/foods"),
        ("/api/v1/user-foods", "/api/v1/user-foods"),
        ("/api/v1/user-foods/7", "/api/v1/user-foods/{id}"),
        ("/api/v1//meal-logs//", "/api/v1/meal-logs"),
        ("/api/v1/consultations/7", "other meals"),
        ("/status", "/status"),
        ("/status/?x", "/status"),
        ("/status/events", "/status/events"),
        ("/status/positions/", "/status/positions"),
        ("/status/session", "/status/session"),
        ("/status/page/map.js", "/status/page/{file}"),
        ("/status/page", "other"),
        ("/status/page/", "other"),
        ("/status/page/a/b", "other"),
        ("/status/x", "other"),
        ("/statuses", "other"),
        ("/status//events/", "/status/events"),
        ("//status///page//map.js", "/status/page/{file}"),
        ("//ws//meal-logs/?token=x", "/ws/meal-logs"),
        ("/ingest/%2F", "other"),
        ("/in/overland", "/in/overland"),
        ("/in/overland/slk_secret", "/in/overland"),
        ("/in//traccar/slk_secret/?id=1", "/in/traccar"),
        ("/in/health/a/b", "other formats"),
        ("/in/slk_secret", "other formats"),
        ("/in", "other"),
        ("/api/v1/", "other"),
        ("/api/v1", "other"),
        ("/api/v1/soups", "other meals"),
        ("/upload/a", "/upload"),
        ("/upload/a/", "/upload"),
        ("/upload/a?b/c", "/upload"),
        ("http://host/upload/a", "/upload"),
        ("/upload", "other captures"),
        ("/upload/", "other captures"),
        ("/upload//", "other captures"),
        ("//upload//a//", "/upload"),
        ("/upload/a/b", "other captures"),
        ("/uploads/a", "other"),
        ("/media/a", "/media"),
        ("/media/memories/a/photo.jpg", "/media"),
        ("/media/a/b/c/d/e/f", "/media"),
        ("/media//a", "/media"),
        ("/media", "other captures"),
        ("/memories/u/2026-01-01", "/memories"),
        ("/memories/u", "other captures"),
        ("/memories/u/d/e", "other captures"),
        ("/init-user/u", "/init-user"),
        ("/init-user", "other captures"),
        ("/user/u/profile", "/user/profile"),
        ("/user/u/contacts", "/user/contacts"),
        ("/user/u/contacts/", "/user/contacts"),
        ("/user//contacts", "other captures"),
        ("/user/u/secrets", "other captures"),
        ("/user/u", "other captures"),
        ("/openapi.json", "/openapi.json"),
        ("/docs", "/docs"),
        ("/docs/", "/docs"),
        ("/docs/x", "other"),
        ("//upload/a", "/upload"),
        ("/UPLOAD/a", "other"),
        ("/api/users/user/k/moods/swift", "/api/users/user/swift"),
        ("/api/users/user/k/multimedia/swift/", "/api/users/user/swift"),
        ("/api/users/user/k/memories/swift?keepLocation=true", "/api/users/user/swift"),
        ("/api/users/user/k/events/swift", "/api/users/user/swift"),
        ("/api/users/user/k/profile-picture/swift", "/api/users/user/swift"),
        ("/api/users/user/k/profile-picture", "/api/users/user/profile-picture"),
        ("/api/users/user/k/multimedia/files/a", "/api/users/user/multimedia/files"),
        ("/api/users/user/k/multimedia/files/a?w=100", "/api/users/user/multimedia/files"),
        ("/api/users/user/k/multimedia", "/api/users/user/list"),
        ("/api/users/user/k/moods", "/api/users/user/list"),
        ("/api/users/user/k/memories", "/api/users/user/list"),
        ("/api/users/user/k/events/", "/api/users/user/list"),
        ("/api/users/user/k/moods/a", "/api/users/user/record"),
        ("/api/users/user/k/events/a", "/api/users/user/record"),
        ("/api/users/user/k/memories/a", "/api/users/user/record"),
        ("/api/users/user/k/multimedia/a", "/api/users/user/record"),
        ("/api/users", "other journal"),
        ("/api/users/", "other journal"),
        ("/api/users/user", "other journal"),
        ("/api/users/user/k", "other journal"),
        ("/api/users/user//moods", "other journal"),
        ("//api/users//user/k/moods//", "/api/users/user/list"),
        ("/api/users/user/k/moods/a/b", "other journal"),
        ("/api/users/user/k/files/a", "other journal"),
        ("/api/users/user/k/multimedia/files/a/b", "other journal"),
        ("/api/users/other/k/moods", "other journal"),
        ("/api/userss", "other"),
        ("/api", "other"),
        ("/API/users/user/k/moods", "other"),
    ]

    @Test func `a path is known by its form`() async throws {
        try await AppServer.with { server in
            for (target, label) in Self.targets {
                let id = server.table.id(of: RequestTargetForm.tidied(target))
                #expect(server.table[id].label == label, "\(target)")
            }
        }
    }

    @Test func `a failure before the router has the form of the path's system`() async throws {
        try await AppServer.with { server in
            func text(_ failure: RequestFailure, _ target: String) -> String {
                server.table[server.table.id(of: target)].envelope.text(failure.problem)
            }
            for (target, body) in [
                (
                    "/upload/a",
                    #"{"status":"error","error":"upload failed: The body came too slowly"}"#
                ),
                ("/media/a", #"{"status":"error","error":"The body came too slowly"}"#),
                ("/user", #"{"status":"error","error":"The body came too slowly"}"#),
                ("/ingest", #"{"detail":"The body came too slowly"}"#),
                ("/nowhere", #"{"detail":"The body came too slowly"}"#),
                (
                    "/api/v1/foods",
                    #"{"error":{"message":"The body came too slowly","code":"REQUEST_TIMEOUT"}}"#
                ),
            ] {
                #expect(text(.bodyTimedOut, target) == body)
            }
            for (failure, error, details, code) in [
                (RequestFailure.bodyTimedOut, "Request Timeout", "The body came too slowly", 408),
                (.headTooLarge, "Request Header Fields Too Large", "", 431),
                (.overloaded(retryAfter: .seconds(1)), "Service Unavailable", "", 503),
                (.malformed, "Bad Request", "", 400),
            ] {
                let text = text(failure, "/api/users/user/k/moods/swift")
                #expect(text.hasPrefix("{\"error\":\"\(error)\",\"details\":\"\(details)"))
                #expect(text.hasSuffix("\",\"code\":\(code)}"))
            }
        }
    }

    @Test func `every known path says which methods it has`() async throws {
        try await AppServer.with { server in
            let without: Set = [
                "other", "other captures", "other meals", "other journal", "other formats",
                "/ws/meal-logs", "/api/v1/consultations/{id}/ws",
            ]
            for entry in server.table.entries {
                #expect(entry.methods.isEmpty == without.contains(entry.label), "\(entry.label)")
            }
        }
    }

    @Test func `a head that can't be read has no path, whatever was asked before`() async throws {
        try await AppServer.with(access: { _ in }) { server in
            let answers = try await onThread {
                let client = try TCPClient(port: server.port)
                try client.send("GET /api/v1/meal-logs/7 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let first = try client.receiveAnswer()
                try client.send("rubbish\r\n\r\n")
                return [first, try client.receiveAnswer()]
            }
            #expect(answers[1].status == 400)
            #expect(!answers[0].body.hasPrefix("{\"detail\""))
            #expect(answers[1].body.hasPrefix("{\"detail\""))
        }
    }
}
