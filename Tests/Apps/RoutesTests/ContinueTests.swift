import Foundation
import Testing

@testable import HTTP
@testable import HTTPSupport

/// `Expect: 100-continue` where the router answers: a client that asks first gets the refusal that
/// its head allows, and does not send its body for nothing.
@Suite(.timeLimit(.minutes(10))) struct ContinueTests {
    private static let key = "X-API-Key: \(AppServer.key)"
    private static let json = "Content-Type: application/json"

    private static func head(_ path: String, _ fields: [String]) -> String {
        let lines = ["POST \(path) HTTP/1.1", "Host: localhost", "Expect: 100-continue"] + fields
        return lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test(arguments: [
        ("/upload/large", [key, FormBody.field, "Content-Length: 90000000"], 413),
        ("/upload/stranger", [FormBody.field, "Content-Length: 5000"], 401),
        ("/upload/.hidden", [key, FormBody.field, "Content-Length: 5000"], 400),
        ("/upload/text", [key, "Content-Type: text/plain", "Content-Length: 5000"], 415),
        ("/upload/short", [key, "Content-Type: text/plain", "Content-Length: 5"], 415),
        ("/upload/chunks", [key, "Content-Type: text/plain", "Transfer-Encoding: chunked"], 415),
        (
            "/api/users/user/kim/moods/swift",
            [key, FormBody.field, "Content-Length: 999000000"], 413
        ),
        ("/api/users/user/kim/moods/swift", [FormBody.field, "Content-Length: 5000"], 401),
        ("/init-user/kim", [key, json, "Content-Length: 90000000"], 413),
        ("/api/v1/meal-logs/natural?user_id=kim", [key, json, "Content-Length: 90000000"], 413),
        ("/nowhere", ["Content-Length: 5"], 404),
    ])
    func `a client that asks first gets its refusal at once`(
        path: String, fields: [String], status: Int
    ) async throws {
        try await AppServer.with { server in
            try await onThread {
                let client = try server.client()
                try client.send(Self.head(path, fields))
                let answer = try client.receiveAnswer()
                #expect(answer.status == status, "\(answer)")
                // The client may send its body or not, so the start of the next request would be
                // unknown.
                #expect(answer.headers["connection"] == "close")
                try client.expectEnd()
            }
            #expect(try server.files().objects == 0)
            try await server.expectNothingUnderWay()
        }
    }

    @Test(arguments: [400, 20_000, 300_000]) func `a client that may send gets one 100`(
        bytes: Int
    ) async throws {
        try await AppServer.with { server in
            let content = FormBody.jpeg(bytes)
            let body = FormBody.photo(content)
            let chunked =
                Array("\(String(body.count, radix: 16))\r\n".utf8) + body
                + Array("\r\n0\r\n\r\n".utf8)
            try await onThread {
                let client = try server.client()
                for (framing, sent) in [
                    ("Content-Length: \(body.count)", body),
                    ("Transfer-Encoding: chunked", chunked),
                ] {
                    try client.send(Self.head("/upload/a", [Self.key, FormBody.field, framing]))
                    #expect(try client.receiveAnswer().status == 100)
                    try client.send(sent)
                    let answer = try client.receiveAnswer()
                    #expect(answer.status == 200, "\(answer)")
                    // The connection is kept.
                    #expect(answer.headers["connection"] == nil)
                }
            }
            #expect(
                try server.value("select max(bytes)::text from sluice.media_file")
                    == "\(content.count)")
        }
    }

    @Test func `bodies that are read whole get a 100 too`() async throws {
        try await AppServer.with { server in
            try await onThread {
                let client = try server.client()
                for _ in 0..<2 {
                    let body = #"{"summary":"I am"}"#
                    let fields = [Self.key, Self.json, "Content-Length: \(body.utf8.count)"]
                    try client.send(Self.head("/init-user/kim", fields))
                    #expect(try client.receiveAnswer().status == 100)
                    try client.send(body)
                    let answer = try client.receiveAnswer()
                    #expect(answer.status == 200, "\(answer)")
                }
            }
        }
    }

    /// RFC 9110, section 10.1.1 allows this: a client need not wait indefinitely.
    @Test func `a client that asks and does not wait is served`() async throws {
        try await AppServer.with { server in
            let body = FormBody.photo(FormBody.jpeg(100_000))
            let head = Self.head(
                "/upload/a", [Self.key, FormBody.field, "Content-Length: \(body.count)"])
            try await onThread {
                let client = try server.client()
                for _ in 0..<2 {
                    try client.send(Array(head.utf8) + body)
                    var answer = try client.receiveAnswer()
                    if answer.status == 100 { answer = try client.receiveAnswer() }
                    #expect(answer.status == 200, "\(answer)")
                }
            }
            #expect(try server.value("select count(*)::text from sluice.media_file") == "1")
        }
    }
}
