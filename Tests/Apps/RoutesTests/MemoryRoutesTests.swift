import Foundation
import Postgres
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct MemoryRoutesTests {
    private static let key = "X-API-Key: \(AppServer.key)"

    @Test func `a user is created once and has a profile and no contacts`() async throws {
        try await AppServer.with { server in
            for (user, path) in [("po lin", "po%20lin"), ("é/x", "%C3%A9%2Fx"), ("a?b", "a%3Fb")] {
                let before = try await server.ask("GET", "/user/\(path)/profile")
                #expect(before.status == 200)
                #expect(before.json?["status"] as? String == "not_found")
                for status in ["success", "exists"] {
                    let made = try await server.ask(
                        "POST", "/init-user/\(path)", body: Array(#"{"summary":"I am"}"#.utf8))
                    #expect(made.status == 200)
                    #expect(made.json?["status"] as? String == status)
                    #expect(made.json?["contactsCount"] as? Int == 0)
                }
                let after = try await server.ask("GET", "/user/\(path)/profile/?x=y")
                #expect(after.json?["status"] as? String == "success")
                #expect(after.body.contains("\"userId\": \"\(user)\""))
                let contacts = try await server.ask("GET", "/user/\(path)/contacts")
                #expect(contacts.json?["data"] as? [String] == [])
                #expect(contacts.headers["content-type"] == "application/json")
            }
            #expect(try server.value("select count(*)::text from sluice.app_user") == "3")
        }
    }

    @Test func `a day is read, and a missing one is reported in a 200`() async throws {
        try await AppServer.with { server in
            _ = try server.value(
                """
                insert into sluice.day_summary (user_id, date, time_zone, is_final, content)
                values ('po-lin', '2024-02-29', 'UTC', true, '{"summary":"a leap"}') returning user_id
                """)
            let found = try await server.ask("GET", "/memories/po-lin/2024-02-29/")
            #expect(found.status == 200)
            #expect(found.json?["status"] as? String == "success")
            #expect(found.body.contains("a leap"))
            let missing = try await server.ask("GET", "/memories/po-lin/2026-01-01")
            #expect(missing.status == 200)
            #expect(missing.json?["status"] as? String == "not_found")
            let head = try await server.ask("HEAD", "/memories/po-lin/2024-02-29")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    private static let wrong: [(method: String, path: String, status: Int)] = [
        ("GET", "/memories/po-lin/2026-02-29", 400), ("GET", "/memories/po-lin/2026-1-1", 400),
        ("GET", "/memories/po-lin/tomorrow", 400), ("GET", "/memories/po-lin/0000-01-01", 400),
        ("GET", "/memories/po-lin/2026-13-01", 400), ("GET", "/memories/po-lin/2026-00-10", 400),
        ("GET", "/user/a%00b/profile", 400), ("GET", "/user/%FF/profile", 400),
        ("GET", "/user/\(String(repeating: "a", count: 129))/profile", 400),
        ("GET", "/user/%zz/profile", 400), ("GET", "/user/a%4/profile", 400),
        ("GET", "/user/po-lin", 404), ("GET", "/user/po-lin/secrets", 404), ("GET", "/user", 404),
        ("GET", "/memories/po-lin", 404), ("GET", "/memories/po-lin/2026-01-23/x", 404),
        ("GET", "/upload", 404), ("POST", "/upload/a/b", 404), ("POST", "/init-user", 404),
        ("PUT", "/init-user/po-lin", 405), ("GET", "/upload/a", 405), ("DELETE", "/upload/a", 405),
        ("POST", "/memories/po-lin/2026-01-23", 405), ("PUT", "/media/memories/a/photo.jpg", 405),
        ("DELETE", "/user/po-lin/contacts", 405), ("OPTIONS", "/user/po-lin/profile", 405),
    ]

    @Test func `errors on these paths have their envelope`() async throws {
        try await AppServer.with { server in
            for (method, path, status) in Self.wrong {
                let answer = try await server.ask(method, path, body: method == "GET" ? nil : [])
                #expect(answer.status == status, "\(method) \(path)")
                #expect(answer.json?["status"] as? String == "error", "\(method) \(path)")
                #expect((answer.json?["error"] as? String)?.isEmpty == false)
                #expect((answer.headers["allow"] != nil) == (status == 405), "\(method) \(path)")
            }
        }
    }

    @Test func `a wrong body is an error`() async throws {
        try await AppServer.with { server in
            func ask(_ fields: [String], _ body: String) async throws -> ParsedAnswer {
                try await server.ask(
                    "POST", "/init-user/a", [Self.key] + fields, body: Array(body.utf8))
            }
            let empty = try await ask([], "{}")
            #expect(empty.status == 400)
            #expect(empty.body == #"{"status":"error","error":"summary is missing"}"#)
            #expect(try await ask([], "{").status == 400)
            #expect(try await ask([], #"{"summary":"x","timeZone":"Moon/Sea"}"#).status == 400)
            #expect(try await ask([], #"{"summary":"\u0000"}"#).status == 400)
            #expect(try await ask(["Content-Type: text/plain"], "{}").status == 415)
            #expect(try await ask(["Content-Encoding: gzip"], "{}").status == 415)
            #expect(try await ask([], String(repeating: " ", count: 262_145)).status == 413)
            #expect(try server.value("select count(*)::text from sluice.app_user") == "0")
        }
    }

    @Test func `an unreachable database is reported without its message`() async throws {
        try await AppServer.with { server in
            server.database.close()
            let answer = try await server.ask("GET", "/user/a/profile")
            #expect(answer.status == 503)
            #expect(answer.body == #"{"status":"error","error":"Database unavailable"}"#)
            #expect(answer.headers["retry-after"] != nil)
        }
    }

    @Test func `a statement that the database refuses is a 500 without details`()
        async throws
    {
        try await AppServer.with { server in
            _ = try server.value("drop table sluice.contact cascade")
            let answer = try await server.ask("GET", "/user/a/contacts")
            #expect(answer.status == 500)
            #expect(answer.body == #"{"status":"error","error":"Internal Server Error"}"#)
            // The connection still works, also after a HEAD that fails.
            try await onThread {
                let client = try server.client()
                for _ in 0..<2 {
                    try client.send(
                        "HEAD /user/a/contacts HTTP/1.1\r\nHost: a\r\n\(Self.key)\r\n\r\n")
                    #expect(try client.receiveAnswer(isHead: true).status == 500)
                }
            }
        }
    }
}
