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

    @Test func `a profile is changed where the user has one, and days follow a new zone`()
        async throws
    {
        try await AppServer.with { server in
            func change(_ body: String) async throws -> ParsedAnswer {
                try await server.ask("PUT", "/user/ann/profile", body: Array(body.utf8))
            }
            let jobs = "select count(*)::text from sluice.job where kind = 'user.rebuild'"
            #expect(
                try await change(#"{"timeZone":"UTC"}"#).json?["status"] as? String == "not_found")
            _ = try await server.ask(
                "POST", "/init-user/ann", body: Array(#"{"summary":"first"}"#.utf8))
            let summary = try await change(#"{"summary":{"likes":"tea"}}"#)
            #expect(
                summary.status == 200 && summary.body.contains(#""timeZone": "America/New_York""#))
            #expect(summary.body.contains(#""likes": "tea""#), "\(summary.body)")
            let connection = try Connection.open(server.settings, deadline: .now + .seconds(60))
            defer { connection.close() }
            try connection.execute(
                """
                insert into sluice.app_user (user_id) values ('bea');
                insert into sluice.capture (capture_id, user_id, captured_at, received_at)
                values ('1', 'ann', now(), now()), ('2', 'bea', now(), now())
                """)
            #expect(try server.value(jobs) == "0")
            let zone = try await change(#"{"timeZone":"Asia/Tokyo"}"#)
            #expect(zone.body.contains("Asia/Tokyo") && zone.body.contains("tea"), "\(zone.body)")
            #expect(try server.value(jobs) == "1")
            // A user whose captures came before the profile.
            _ = try await server.ask(
                "POST", "/init-user/bea",
                body: Array(#"{"summary":"s","timeZone":"Europe/Berlin"}"#.utf8))
            #expect(try server.value(jobs + " and key = 'bea'") == "1")
            for wrong in [
                "{}", "[]", #"{"timeZone":"Moon/Sea"}"#, #"{"timeZone":"GMT+5"}"#,
                #"{"summary":7}"#,
            ] {
                #expect(try await change(wrong).status == 400, "\(wrong)")
            }
            #expect(
                try await change(#"{"timeZone":"Asia/Calcutta"}"#).body.contains("Asia/Calcutta"))
            #expect(try await server.ask("POST", "/user/ann/rebuild", body: []).status == 200)
            let unknown = try await server.ask("POST", "/user/bob/rebuild", body: [])
            #expect(unknown.json?["status"] as? String == "not_found")
        }
    }

    @Test func `captures are listed by page and day, and deleted with what only they name`()
        async throws
    {
        try await AppServer.with { server in
            let connection = try Connection.open(server.settings, deadline: .now + .seconds(60))
            defer { connection.close() }
            try connection.execute(
                """
                insert into sluice.app_user (user_id, time_zone) values ('ann', 'Asia/Tokyo');
                insert into sluice.media_file (path, object, digest, bytes, content_type, user_id)
                    select 'memories/' || n || '/photo.jpg', n::text, sha256(n::text::bytea), 1,
                        'image/png', 'ann' from generate_series(1, 2) n;
                insert into sluice.capture
                    (capture_id, user_id, captured_at, received_at, photo_url, transcription)
                    select n::text, 'ann', '2026-01-24 14:00Z'::timestamptz + n * interval '30 min',
                        now(), 'http://a/media/memories/' || greatest(n - 1, 1) || '/photo.jpg', 'x'
                    from generate_series(1, 3) n;
                insert into sluice.capture (capture_id, user_id, captured_at, received_at)
                    values (sluice.own_capture_key('1', 'bob'), 'bob', now(), now())
                """)
            func list(_ query: String) async throws -> [String] {
                let answer = try await server.ask("GET", "/user/ann/captures" + query)
                let data = answer.json?["data"] as? [[String: Any]] ?? []
                return data.compactMap { $0["captureId"] as? String }
                    + (answer.json?["hasMore"] as? Bool == true ? ["more"] : [])
            }
            #expect(try await list("") == ["3", "2", "1"])
            #expect(try await list("?limit=2") == ["3", "2", "more"])
            #expect(try await list("?limit=2&offset=2") == ["1"])
            // Midnight in Tokyo is 15:00 UTC.
            #expect(try await list("?date=2026-01-24") == ["1"])
            #expect(try await list("?date=2026-01-25") == ["3", "2"])
            for wrong in ["?limit=0", "?limit=101", "?offset=-1", "?date=2026-02-30", "?limit=x"] {
                let answer = try await server.ask("GET", "/user/ann/captures" + wrong)
                #expect(answer.status == 400, "\(wrong)")
            }
            func delete(_ path: String) async throws -> String? {
                try await server.ask("DELETE", path).json?["status"] as? String
            }
            let files = "select string_agg(path, ' ' order by path) from sluice.media_file"
            #expect(try await delete("/user/ann/captures/1") == "success")
            #expect(try await delete("/user/ann/captures/1") == "not_found")
            // Another capture names the file of the first.
            #expect(
                try server.value(files) == "memories/1/photo.jpg memories/2/photo.jpg")
            #expect(try await delete("/memories/ann/2026-01-25") == "success")
            #expect(try await delete("/memories/ann/2026-01-25") == "not_found")
            #expect(try server.value("select count(*)::text from sluice.media_file") == "0")
            #expect(try await list("") == [])
            #expect(
                try server.value(
                    "select string_agg(key, ' ' order by key) from sluice.job") == "1 2 3")
            #expect(try await delete("/user/bob/captures/1") == "success")
        }
    }

    @Test func `a capture that comes from a spool after it was deleted stays deleted`() async throws
    {
        try await AppServer.with { server in
            let stored = """
                select result from sluice.store_captures(array[
                    '{"id":"a","user":"ann","t":"2026-01-24T10:00:00Z","text":"TEXT"}'],
                    array[(STAMP)::timestamptz], array[LATE])
                """
            func store(_ text: String, _ stamp: String, late: Bool) throws -> String? {
                try server.value(
                    stored.replacing("TEXT", with: text).replacing("STAMP", with: stamp)
                        .replacing("LATE", with: "\(late)"))
            }
            let text = "select coalesce(transcription, 'gone') from sluice.capture"
            _ = try store("first", "now()", late: false)
            _ = try await server.ask("DELETE", "/user/ann/captures/a")
            #expect(try server.value(text) == "gone")
            _ = try store("first", "now() - interval '1 hour'", late: true)
            #expect(try server.value(text) == "gone")
            #expect(
                try await server.ask("GET", "/user/ann/captures").body.contains(#""data" : []"#))
            _ = try store("again", "now()", late: false)
            #expect(try server.value(text) == "again")
            #expect(try await server.ask("GET", "/user/ann/captures").body.contains("again"))
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
            for zone in ["Moon/Sea", "GMT+5", "posix/Europe/Berlin"] {
                let refused = try await ask([], #"{"summary":"x","timeZone":"\#(zone)"}"#)
                #expect(refused.status == 400)
                #expect(
                    refused.body
                        == #"{"status":"error","error":"timeZone is no name of a time zone"}"#)
            }
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
