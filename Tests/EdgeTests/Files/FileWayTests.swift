import Access
import JWTKit
import Testing

@testable import Edge

/// Whoever asks for whatever: all ways of a file give the same answer.
@Suite(.timeLimit(.minutes(10))) struct FileWayTests {
    private static let key = FileWays.key
    private static let secret = "a secret of more than thirty-two bytes"

    private struct Claims: JWTPayload {
        let sub: String

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private static func bearer(_ user: String) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        return "Authorization: Bearer " + (try await keys.sign(Claims(sub: user)))
    }

    @Test func `both ways give the same answers, whoever asks for what`() async throws {
        try await RoutesServer.with(access: { access in
            access.applicationKeys = RoutesServer.key
            access.tokenSecret = Self.secret
        }) { server in
            let (own, other) = (try await Self.bearer("kim"), try await Self.bearer("ann"))
            let photo = FormBody.jpeg(20_000)
            for (id, field) in [("keyed", Self.key), ("owned", own)] {
                let answer = try await server.ask(
                    "POST", "/upload/\(id)", [FormBody.field, field],
                    body: FormBody.photo(photo))
                #expect(answer.status == 200)
            }
            let file = try await server.upload(filename: "n\u{e4}me.jpg")
            let media = "/media/memories/keyed/photo.jpg"
            let owned = "/media/memories/owned/photo.jpg"
            let users = "/api/users/user"
            let paths = [
                media, owned, file.path, "/media/memories/none/photo.jpg", media + "/", "/media/x",
                "/media/memories/../photo.jpg", "/media/journal/\(file.id)", "/media//",
                "\(users)/ann/multimedia/files/\(file.id)", file.path + "/",
                "\(users)/kim/multimedia/files/\(String(repeating: "0", count: 32))",
                "\(users)/kim/multimedia/files/x",
            ]
            var fromLoop = 0
            for path in paths {
                for fields in [
                    [], [Self.key], [own], [other], ["X-API-Key: wrong"],
                    ["Authorization: Bearer a.b.c"], [Self.key, "Connection: close"],
                    [Self.key, "Accept: image/*", "Origin: http://elsewhere.example"],
                ] {
                    let answer = try await FileWays.both(server, path, fields)
                    if answer.isFromLoop { fromLoop += 1 }
                    let isWhole = answer.head[0] == "HTTP/1.1 200 OK"
                    // What a user has not got by name the router looks into.
                    let isRouters =
                        path.hasSuffix("/")
                        || path == media && (fields == [own] || fields == [other])
                    #expect(answer.isFromLoop == (isWhole && !isRouters), "\(path) \(fields)")
                }
            }
            // The key's file for three, the user's for four, the journal's for all eight.
            #expect(fromLoop == 15)
            #expect(try await FileWays.both(server, owned, [own]).content == photo)
        }
    }

    @Test func `where nobody has to show anything, pages of other sites still get nothing`()
        async throws
    {
        try await RoutesServer.with(access: { _ in }) { server in
            let answer = try await server.ask(
                "POST", "/upload/a", [FormBody.field], host: "127.0.0.1", body: FormBody.photo())
            #expect(answer.status == 200)
            let path = "/media/memories/a/photo.jpg"
            #expect(try await FileWays.both(server, path, []).isFromLoop)
            let fields = ["Origin: http://elsewhere.example"]
            let refused = try await FileWays.both(server, path, fields)
            #expect(refused.head[0].hasPrefix("HTTP/1.1 403 "))
        }
    }

    @Test func `what was replaced, deleted or lost is seen by the very next request`() async throws
    {
        try await RoutesServer.with { server in
            let path = "/media/memories/a/photo.jpg"
            for seed in UInt8(1)...4 {
                let photo = FormBody.jpeg(50_000, seed: seed)
                let answer = try await server.ask(
                    "POST", "/upload/a", FormBody.fields, body: FormBody.photo(photo))
                #expect(answer.status == 200)
                let first = try await onThread {
                    try FileWays.get(path, [Self.key], on: server.client())
                }
                #expect(first.content == photo)
                let again = try await FileWays.both(server, path, [Self.key])
                #expect(again.isFromLoop && again.content == photo)
            }
            _ = try server.value(
                "update sluice.media_file set object = encode(sha256('lost'), 'hex') returning ''")
            let lost = try await FileWays.both(server, path, [Self.key])
            #expect(lost.head[0].hasPrefix("HTTP/1.1 500 "))
            _ = try server.value("delete from sluice.media_file returning ''")
            let gone = try await FileWays.both(server, path, [Self.key])
            #expect(gone.head[0].hasPrefix("HTTP/1.1 404 "))
        }
    }
}
