import Auth
import Foundation
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Who may call which route of the journal.
@Suite(.timeLimit(.minutes(10))) struct JournalAccessTests {
    private static let secret = "a secret of more than thirty-two bytes"

    private static func bearer(_ user: String) -> String {
        UserToken.bearer(user, secret: secret)
    }

    private static let routes = [
        ("POST", "multimedia/swift"), ("POST", "moods/swift"), ("POST", "memories/swift"),
        ("POST", "events/swift"), ("POST", "profile-picture/swift"), ("GET", "multimedia"),
        ("GET", "moods"), ("GET", "memories"), ("GET", "events"), ("GET", "moods/a"),
        ("GET", "multimedia/a"), ("DELETE", "moods/a"), ("DELETE", "multimedia/a"),
        ("GET", "profile-picture"), ("DELETE", "multimedia/files/a"),
    ]

    @Test func `without a token only a file whose id is known is served`() async throws {
        try await AppServer.with(access: { $0.tokenSecret = Self.secret }) { server in
            let own = Self.bearer("kim")
            let other = Self.bearer("ann")
            for (method, name) in Self.routes {
                let path = "\(AppServer.journal)/\(name)"
                let body: [UInt8]? = method == "POST" ? [] : nil
                for fields in [[], ["Authorization: Bearer a.b.c"]] {
                    let answer = try await server.ask(method, path, fields, body: body)
                    server.expectFailure(answer, 401)
                    #expect(answer.headers["www-authenticate"] == "Bearer, X-API-Key")
                }
                server.expectFailure(
                    try await server.ask(method, path, [other], body: body), 403,
                    details: "another user")
            }
            let created = try await server.post(
                "multimedia", [AppServer.file(JournalSamples.jpeg)],
                fields: [FormBody.field, own])
            #expect(created.status == 200, "\(created.body)")
            let files = try #require(created.json?["files"] as? [[String: [String: Any]]])
            let id = try #require(files[0]["data"]?["fileId"] as? String)
            let path = "\(AppServer.journal)/multimedia/files/\(id)"
            for fields in [[], [own], [other], ["Authorization: Bearer a.b.c"]] {
                #expect(try await server.ask("GET", path, fields).status == 200)
            }
            server.expectFailure(try await server.ask("DELETE", path, [other]), 403)
            #expect(try await server.ask("DELETE", path, [own]).status == 200)
        }
    }

    @Test func `on an open server a page of another site gets files only`()
        async throws
    {
        try await AppServer.with(access: { _ in }) { server in
            let fields = [FormBody.field, "Origin: https://evil.example"]
            let answer = try await server.ask(
                "POST", "\(AppServer.journal)/moods/swift", fields, host: "localhost",
                body: FormBody.bytes([AppServer.text("mood", "m")]))
            server.expectFailure(answer, 403)
        }
    }

    @Test(arguments: [
        "%00", "%ff", "%0a", String(repeating: "x", count: 129), "a%7f",
    ])
    func `an invalid user id is refused`(user: String) async throws {
        try await AppServer.with { server in
            server.expectFailure(
                try await server.post("moods", [AppServer.text("mood", "m")], user: user), 400)
        }
    }
}
