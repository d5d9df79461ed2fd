import Auth
import Foundation
import Media
import Postgres
import TestSupport
import Testing

@testable import HTTP
@testable import CaptureRoutes
@testable import HTTPSupport

/// Who may call which route of memory captures.
@Suite(.timeLimit(.minutes(10))) struct RouteAccessTests {
    private static let secret = "a secret of more than thirty-two bytes"

    private static func bearer(_ user: String) -> String {
        UserToken.bearer(user, secret: secret)
    }

    private static let routes = [
        ("POST", "/upload/a"), ("GET", "/media/memories/a/photo.jpg"),
        ("GET", "/memories/po-lin/2026-01-23"), ("POST", "/init-user/po-lin"),
        ("GET", "/user/po-lin/profile"), ("GET", "/user/po-lin/contacts"),
        ("GET", "/user/po-lin/captures"), ("DELETE", "/user/po-lin/captures/a"),
        ("DELETE", "/memories/po-lin/2026-01-23"), ("DELETE", "/user/po-lin/contacts/Sarah"),
    ]

    @Test func `requests without a key or a token are refused`() async throws {
        try await AppServer.with(access: { $0.tokenSecret = Self.secret }) { server in
            for (method, path) in Self.routes {
                for fields in [[], ["X-API-Key: wrong"], ["Authorization: Bearer a.b.c"]] {
                    let answer = try await server.ask(
                        method, path, fields, body: method == "POST" ? Array("{}".utf8) : nil)
                    #expect(answer.status == 401, "\(method) \(path)")
                    #expect(answer.headers["www-authenticate"] == "Bearer, X-API-Key")
                    let prefix = path.hasPrefix("/upload") ? "upload failed: " : ""
                    #expect(
                        answer.body == #"{"status":"error","error":"\#(prefix)Unauthorized"}"#)
                }
                // A token in a URL is only for sockets.
                let token = Self.bearer("po-lin").dropFirst(
                    "Authorization: Bearer ".count)
                let answer = try await server.ask(
                    method, path + "?token=\(token)", [],
                    body: method == "POST" ? Array("{}".utf8) : nil)
                #expect(answer.status == 401)
            }
        }
    }

    @Test func `a key for other routes is refused, and told what it lacks`() async throws {
        try await AppServer.with(access: { $0.tokenSecret = Self.secret }) { server in
            server.issue("issued", [.ingest, .meals, .status])
            for (method, path) in Self.routes {
                for field in ["X-API-Key: issued", "Authorization: Bearer issued"] {
                    let answer = try await server.ask(
                        method, path, [field], body: method == "POST" ? Array("{}".utf8) : nil)
                    #expect(answer.status == 403, "\(method) \(path)")
                    #expect(answer.headers["www-authenticate"] == nil)
                    #expect(answer.body.contains("this key lacks the scope captures"))
                }
            }
            // The journal, meals, and a device's key in the place of an app's.
            server.issue("issued", [.ingest])
            for (path, scope) in [
                ("/api/users/user/po/moods", "media"), ("/api/v1/meal-logs", "meals"),
                ("/api/v1/foods?search=a", "meals"), ("/status/positions", "status"),
            ] {
                let answer = try await server.ask("GET", path, ["X-API-Key: issued"])
                #expect(answer.status == 403, "\(path)")
                #expect(answer.body.contains("this key lacks the scope \(scope)"), "\(path)")
            }
            // A revoked key is as unknown as one that never was.
            server.issue("another", [.ingest])
            let answer = try await server.ask("GET", "/user/po/profile", ["X-API-Key: issued"])
            #expect(answer.status == 401)
        }
    }

    @Test func `a session of the status page gives access to no app`() async throws {
        try await AppServer.with { server in
            let form = "Content-Type: application/x-www-form-urlencoded"
            let signedIn = try await server.ask(
                "POST", "/status/session", [form],
                body: Array("key=\(AppServer.key.replacing(" ", with: "+"))".utf8))
            let cookie = try #require(signedIn.headers["set-cookie"]?.split(separator: ";").first)
            let fields = ["Cookie: \(cookie)"]
            #expect(try await server.ask("GET", "/status/positions", fields).status == 200)
            for path in ["/user/po/profile", "/api/v1/foods?search=a", "/api/users/user/po/moods"] {
                #expect(try await server.ask("GET", path, fields).status == 401, "\(path)")
            }
        }
    }

    @Test func `a user's token reaches that user's data only`() async throws {
        try await AppServer.with(access: { $0.tokenSecret = Self.secret }) { server in
            let own = Self.bearer("po-lin")
            let other = Self.bearer("somebody")
            for (method, path) in Self.routes.dropFirst(2) {
                let body = method == "POST" ? Array("{}".utf8) : nil
                let told = try await server.ask(method, path, [own], body: body)
                #expect(told.status == (method == "POST" ? 400 : 200))
                let answer = try await server.ask(method, path, [other], body: body)
                #expect(answer.status == 403)
                #expect(
                    answer.body
                        == #"{"status":"error","error":"These data belong to another user"}"#)
            }
        }
    }

    @Test func `a capture's files are its owner's`() async throws {
        try await AppServer.with(access: { access in
            access.tokenSecret = Self.secret
            access.applicationKeys = AppServer.key
        }) { server in
            let key = "X-API-Key: \(AppServer.key)"
            let own = Self.bearer("po-lin")
            let other = Self.bearer("somebody")
            func upload(
                _ id: String, _ credential: String, seed: UInt8 = 1
            ) async throws -> String {
                let answer = try await server.ask(
                    "POST", "/upload/\(id)", [FormBody.field, credential],
                    body: FormBody.photo(FormBody.jpeg(seed: seed)))
                #expect(answer.status == 200)
                let url = try #require(answer.json?["url"] as? String)
                return String(url.dropFirst("http://test.example:81".count))
            }
            func get(_ path: String, _ credential: String) async throws -> Int {
                try await server.ask("GET", path, [credential]).status
            }
            // Two users use the same id. Each has a file of their own, which only they can replace.
            let first = try await upload("a", own)
            #expect(first == "/media/memories/a/photo.jpg")
            let second = try await upload("a", other, seed: 2)
            #expect(second != first)
            #expect(try await upload("a", own, seed: 3) == first)
            #expect(try await upload("a", other, seed: 4) == second)
            #expect(try await get(first, own) == 200)
            #expect(try await get(first, other) == 403)
            #expect(try await get(second, own) == 403)
            #expect(try await get(second, other) == 200)
            #expect(try await get(first, key) == 200)
            // A key names no user, so its upload replaces nothing.
            let third = try await upload("a", key, seed: 5)
            #expect(third != first && third != second)
            #expect(try await upload("a", key, seed: 5) == third)
            #expect(try await get(third, own) == 403)
            // A capture that names the file decides who may read it.
            func capture(_ id: String, _ photo: String) throws {
                _ = try server.value(
                    "select result from sluice.store_captures(array[json_build_object('id', '\(id)', "
                        + "'user', 'po-lin', 't', now(), 'at', now(), "
                        + "'photo', 'http://x\(photo)')::text])")
            }
            try capture("a", third)
            #expect(try await get(third, own) == 200)
            #expect(try await get(third, other) == 403)
            // The capture was stored before its file.
            let early = "/media/memories/b/photo.jpg"
            try capture("b", early)
            #expect(try await upload("b", other) != early)
            #expect(try await upload("b", own) == early)
            #expect(try await get(early, own) == 200)
            #expect(try await get(early, other) == 403)
            // No capture names it.
            #expect(try await get(upload("d", key), own) == 403)

            // What analysis may read of the files that a user's captures name.
            func mayRead(_ path: String, _ user: String) async throws -> Bool {
                let name = try #require(MediaPath(String(path.dropFirst("/media/".count))))
                let found = try await server.library.find(name)
                let file = try #require(found)
                return try await server.services.mayRead(
                    file, .user(user, until: nil), isNamed: true)
            }
            #expect(try await mayRead(third, "po-lin"))
            #expect(try await !mayRead(third, "somebody"))
            #expect(try await !mayRead(second, "po-lin"))
            // The capture has another id and was stored before its file.
            try capture("e", "/media/memories/f/photo.jpg")
            #expect(try await mayRead(upload("f", key), "po-lin"))
        }
    }

    @Test func `a key is not called wrong before the issued ones are known`() async throws {
        try await AppServer.with(
            access: { $0.applicationKeys = AppServer.key }, knowsAllKeys: false
        ) { server in
            for (method, path) in Self.routes {
                let body = method == "POST" ? Array("{}".utf8) : nil
                let answer = try await server.ask(method, path, ["X-API-Key: wrong"], body: body)
                #expect(answer.status == 503)
                #expect(answer.headers["retry-after"] != nil)
                #expect(try await server.ask(method, path, [], body: body).status == 401)
            }
        }
    }

    @Test func `a server on loopback without any configured access is open`() async throws {
        try await AppServer.with(access: { _ in }) { server in
            let host = "localhost:81"
            let upload = try await server.ask(
                "POST", "/upload/a", [FormBody.field], host: host, body: FormBody.photo())
            #expect(upload.status == 200)
            for path in ["/media/memories/a/photo.jpg", "/user/anybody/profile"] {
                #expect(try await server.ask("GET", path, [], host: host).status == 200)
            }
        }
    }

    @Test func `an open server refuses pages of other sites`() async throws {
        try await AppServer.with(access: { _ in }) { server in
            for (method, path) in Self.routes {
                let type = method == "POST" ? [FormBody.field] : []
                let body = method == "POST" ? FormBody.photo() : nil
                let page = try await server.ask(
                    method, path, type + ["Origin: http://evil.example"], host: "localhost:81",
                    body: body)
                #expect(page.status == 403, "\(method) \(path)")
                #expect(page.json?["status"] as? String == "error")
                let name = try await server.ask(
                    method, path, type, host: "evil.example:81", body: body)
                #expect(name.status == 403)
                let own = try await server.ask(
                    method, path, type + ["Origin: http://localhost:81"], host: "localhost:81",
                    body: body)
                #expect(own.status != 403)
            }
            #expect(try server.files().objects == 1)
        }
    }

    @Test func `an open server that may have issued keys tells everybody to retry`()
        async throws
    {
        try await AppServer.with(access: { _ in }, knowsAllKeys: false) { server in
            let answer = try await server.ask("GET", "/user/po-lin/profile", [], host: "localhost")
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] != nil)
        }
    }
}
