import Auth
import Foundation
import Ingest
import Postgres
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import MealRoutes

@Suite(.timeLimit(.minutes(10))) struct MealRoutesTests {
    private static let natural = Array(#"{"raw_input":"2 eggs","meal_type":"lunch"}"#.utf8)
    private static let json = "Content-Type: application/json"
    private static let secret = "a secret of more than thirty-two bytes"

    private static func bearer(_ user: String) -> String {
        UserToken.bearer(user, secret: secret)
    }

    private static func error(_ answer: ParsedAnswer) -> (code: String?, field: String?) {
        let error = answer.json?["error"] as? NSDictionary
        #expect(answer.json?.count == 1 && (error?["message"] as? String)?.isEmpty == false)
        return (error?["code"] as? String, error?["field"] as? String)
    }

    private static func post(
        _ server: AppServer, _ fields: [String] = [json], body: [UInt8] = natural
    ) async throws -> ParsedAnswer {
        try await server.ask(
            "POST", "/api/v1/meal-logs/natural", fields, host: "localhost", body: body)
    }

    @Test(arguments: [
        (UnitOutcome.committed("stored"), 201, "committed", "processing"),
        (.spooled, 202, "spooled", "pending"),
    ])
    func `a log is answered by the outcome of its unit`(
        outcome: UnitOutcome, status: Int, durability: String, told: String
    ) async throws {
        let sink = FakeSink(.hold)
        try await AppServer.with(access: { _ in }, sink: sink) { server in
            async let answer = Self.post(server)
            while sink.heldUnits.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            #expect(sink.heldUnits[0].payload.contains("2 eggs"))
            sink.finishHeldUnits(outcome)
            let log = try await answer
            #expect(log.status == status && log.headers["x-durability"] == durability)
            let data = log.json?["data"] as? NSDictionary
            #expect(data?["status"] as? String == told)
            #expect(data?["user_id"] as? String == ActingUser.nobody)
            #expect(sink.heldUnits.isEmpty)
        }
    }

    @Test(arguments: [
        (UnitOutcome.unavailable(retryAfter: .seconds(3)), 503, "SERVICE_UNAVAILABLE"),
        (.refused(sqlState: "22023"), 500, "INTERNAL_ERROR"),
    ])
    func `a log that is not stored is an error`(
        outcome: UnitOutcome, status: Int, code: String
    ) async throws {
        let sink = FakeSink(.hold)
        try await AppServer.with(access: { _ in }, sink: sink) { server in
            async let answer = Self.post(server)
            while sink.heldUnits.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            sink.finishHeldUnits(outcome)
            let log = try await answer
            #expect(log.status == status && Self.error(log).code == code)
            #expect((log.headers["retry-after"] != nil) == (status == 503))
            #expect(!log.body.contains("22023"))
        }
    }

    @Test(arguments: [
        (Offer.full(retryAfter: .seconds(2)), 503, "SERVICE_UNAVAILABLE"),
        (.shareUsedUp(retryAfter: .seconds(2)), 429, "RATE_LIMITED"),
        (.unavailable(retryAfter: .seconds(2)), 503, "SERVICE_UNAVAILABLE"),
    ])
    func `a log that is not accepted gets a time to retry`(
        offer: Offer, status: Int, code: String
    ) async throws {
        try await AppServer.with(access: { _ in }, sink: FakeSink(.answer(offer))) { server in
            let answer = try await Self.post(server)
            #expect(answer.status == status && Self.error(answer).code == code)
            #expect((2...3).contains(answer.headers["retry-after"].flatMap { Int($0) } ?? 0))
        }
    }

    @Test func `a log without an outcome in time is a 503, and the connection goes on`()
        async throws
    {
        let sink = FakeSink(.hold)
        try await AppServer.with(
            access: { _ in }, sink: sink, acknowledgeWithin: .milliseconds(100)
        ) { server in
            let answer = try await Self.post(server)
            #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
            sink.finishHeldUnits(.committed("stored"))
            #expect(try await Self.post(server).status == 503)
        }
    }

    @Test func `type and time of a log change without its items`() async throws {
        try await AppServer.with(access: { _ in }) { server in
            let id = "6f1c0000-0000-4000-8000-00000000000a"
            let connection = try Connection.open(server.settings, deadline: .now + .seconds(60))
            defer { connection.close() }
            try connection.execute(
                """
                insert into sluice.meal_log (meal_log_id, user_id, meal_type, status, logged_at,
                    created_at, updated_at, total_calories)
                    values ('\(id)', 'ann', 'lunch', 'completed', '2026-01-20 12:00Z', now(), now(), 9);
                insert into sluice.meal_log_item (meal_log_id, order_index, item_id, food_name,
                    food_type, quantity, unit, calories, protein_g, carbs_g, fat_g, created_at)
                    values ('\(id)', 0, gen_random_uuid(), 'egg', 'food', 1, 'g', 9, 1, 1, 1, now())
                """)
            func change(_ body: String, user: String = "ann") async throws -> ParsedAnswer {
                try await server.ask(
                    "PATCH", "/api/v1/meal-logs/\(id)?user_id=\(user)", host: "localhost",
                    body: Array(body.utf8))
            }
            let type = try await change(#"{"meal_type":"dinner"}"#)
            #expect(
                type.status == 200 && type.body.contains(#""meal_type":"dinner""#), "\(type.body)")
            let time = try await change(#"{"logged_at":"2026-01-20T19:00:00+01:00"}"#)
            #expect(time.body.contains(#""logged_at":"2026-01-20T18:00:00Z""#), "\(time.body)")
            #expect(time.body.contains(#""food_name":"egg""#) && time.body.contains("dinner"))
            for wrong in ["{}", #"{"meal_type":"tea"}"#, #"{"logged_at":"2026-02-10"}"#, "[]"] {
                #expect(try await change(wrong).status == 400, "\(wrong)")
            }
            #expect(try await change(#"{"meal_type":"dinner"}"#, user: "bob").status == 403)
        }
    }

    private static let routes: [(method: String, path: String)] = [
        ("POST", "/api/v1/meal-logs/natural"), ("POST", "/api/v1/meal-logs/batch"),
        ("GET", "/api/v1/meal-logs"), ("GET", "/api/v1/meal-logs/7"),
        ("PUT", "/api/v1/meal-logs/7"), ("PATCH", "/api/v1/meal-logs/7"),
        ("DELETE", "/api/v1/meal-logs/7"),
        ("POST", "/api/v1/consultations"), ("GET", "/api/v1/foods?q=egg"),
        ("GET", "/api/v1/user-foods"), ("POST", "/api/v1/user-foods"),
        ("GET", "/api/v1/user-foods/7"), ("PUT", "/api/v1/user-foods/7"),
        ("DELETE", "/api/v1/user-foods/7"),
    ]

    @Test func `requests without a key or a token are refused, and a key needs a user id`()
        async throws
    {
        try await AppServer.with(access: {
            $0.tokenSecret = Self.secret
            $0.applicationKeys = AppServer.key
        }) { server in
            let own = Self.bearer("anna")
            for (method, path) in Self.routes {
                let body = method == "GET" || method == "DELETE" ? nil : Array("{}".utf8)
                for fields in [[], ["X-API-Key: wrong"], ["Authorization: Bearer a.b.c"]] {
                    let answer = try await server.ask(method, path, fields, body: body)
                    #expect(answer.status == 401, "\(method) \(path)")
                    #expect(answer.headers["www-authenticate"] == "Bearer, X-API-Key")
                    #expect(Self.error(answer) == ("UNAUTHORIZED", nil))
                }
                let key = ["X-API-Key: \(AppServer.key)"]
                let unnamed = try await server.ask(method, path, key, body: body)
                #expect(unnamed.status == 400 && Self.error(unnamed).field == "user_id")
                let mark = path.contains("?") ? "&" : "?"
                let other = try await server.ask(
                    method, path + "\(mark)user_id=bob", [own], body: body)
                #expect(other.status == 403 && Self.error(other).code == "FORBIDDEN")
                // A token in a URL is only for sockets.
                let token = own.dropFirst("Authorization: Bearer ".count)
                let inURL = try await server.ask(
                    method, path + "\(mark)token=\(token)", [], body: body)
                #expect(inURL.status == 401)
            }
            #expect(
                try await server.ask("GET", "/api/v1/meal-logs?user_id=anna", [own]).status == 200)
        }
    }

    private static let wrong: [(method: String, path: String, status: Int, code: String)] = [
        ("GET", "/api/v1/meal-logs/natural", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/v1/meal-logs", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/v1/meal-logs/7", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/api/v1/consultations", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/api/v1/meal-logs/7", 404, "NOT_FOUND"),
        ("DELETE", "/api/v1/user-foods/%FF", 404, "NOT_FOUND"),
        ("GET", "/api/v1/nothing", 404, "NOT_FOUND"),
        ("GET", "/api/v1/meal-logs?limit=0", 400, "VALIDATION_ERROR"),
        ("GET", "/api/v1/meal-logs?meal_type=brunch", 400, "VALIDATION_ERROR"),
        ("GET", "/ws/meal-logs", 426, "UPGRADE_REQUIRED"),
        ("GET", "/api/v1/consultations/7/ws", 426, "UPGRADE_REQUIRED"),
    ]

    @Test func `errors on these paths have their envelope`() async throws {
        try await AppServer.with(access: { _ in }) { server in
            for (method, path, status, code) in Self.wrong {
                let answer = try await server.ask(
                    method, path, [], host: "localhost", body: method == "GET" ? nil : [])
                #expect(answer.status == status, "\(method) \(path)")
                #expect(Self.error(answer).code == code, "\(method) \(path)")
                #expect((answer.headers["allow"] != nil) == (status == 405), "\(method) \(path)")
            }
        }
    }

    @Test func `a wrong body is an error, and nothing of it reaches the lanes`() async throws {
        let sink = FakeSink(.hold)
        try await AppServer.with(access: { _ in }, sink: sink) { server in
            let long = String(repeating: "x", count: 1001)
            for (body, field) in [
                (#"{"meal_type":"lunch"}"#, "raw_input"),
                (#"{"raw_input":"\#(long)","meal_type":"lunch"}"#, "raw_input"),
                (#"{"raw_input":"a","meal_type":"brunch"}"#, "meal_type"),
                (#"{"raw_input":"a","meal_type":"lunch","logged_at":"soon"}"#, "logged_at"),
            ] {
                let answer = try await Self.post(server, body: Array(body.utf8))
                #expect(answer.status == 400)
                #expect(Self.error(answer) == ("VALIDATION_ERROR", field))
            }
            for body in ["", "{", "[]", "\u{FEFF}{}"] {
                let answer = try await Self.post(server, body: Array(body.utf8))
                #expect(answer.status == 400, "\(body)")
                _ = Self.error(answer)
            }
            for fields in [
                ["Content-Type: text/plain"], [Self.json, "Content-Encoding: gzip"],
            ] {
                let answer = try await Self.post(server, fields)
                #expect(answer.status == 415)
                #expect(Self.error(answer).code == "UNSUPPORTED_MEDIA_TYPE")
            }
            let large = [UInt8](repeating: 0x20, count: 2 << 20)
            let answer = try await Self.post(server, body: large)
            #expect(answer.status == 413 && Self.error(answer).code == "PAYLOAD_TOO_LARGE")
            #expect(sink.offers == 0)
        }
    }

    @Test func `an unreachable database is reported without its message`() async throws {
        try await AppServer.with(access: { _ in }) { server in
            server.database.close()
            for (method, path) in Self.routes.dropFirst(2) where !path.contains("7") {
                let body = Array(
                    path.contains("foods")
                        ? #"{"name":"a","calories":1,"protein_g":0,"carbs_g":0,"fat_g":0}"#.utf8
                        : "{}".utf8)
                let answer = try await server.ask(
                    method, path, [], host: "localhost", body: method == "GET" ? nil : body)
                #expect(answer.status == 503, "\(method) \(path)")
                #expect(Self.error(answer).code == "SERVICE_UNAVAILABLE")
                #expect(answer.headers["retry-after"] != nil)
            }
        }
    }
}
