import Auth
import Foundation
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Who may see the status, and what a page that shows it may do.
@Suite(.timeLimit(.minutes(10))) struct StatusAccessTests {
    private static let secret = "a secret of more than thirty-two bytes"
    private static let paths = [
        "/status", "/status/events", "/status/positions", "/status/devices",
    ]

    private static func bearer(_ user: String) -> String {
        UserToken.bearer(user, secret: secret)
    }

    @Test func `keys for apps and keys with the scope may see it, and nobody else`() async throws {
        try await RoutesServer.with(access: { access in
            access.tokenSecret = Self.secret
            access.applicationKeys = RoutesServer.key
        }) { server in
            let cases = [
                ([], 401), (["X-API-Key: wrong"], 401), (["X-API-Key: "], 401),
                (["Cookie: sluice-status="], 401),
                (["Cookie: sluice-status=\(String(repeating: "0", count: 64))"], 401),
                (["X-API-Key: issued"], 403), ([Self.bearer("po-lin")], 403),
                (["X-API-Key: \(RoutesServer.key)"], 200),
            ]
            server.issue("issued", [.ingest, .captures, .meals, .media])
            for path in Self.paths {
                for (fields, status) in cases {
                    let answer = try await server.ask("HEAD", path, fields)
                    #expect(answer.status == status, "\(path) \(fields)")
                    let challenge = status == 401 ? "Bearer, X-API-Key" : nil
                    #expect(answer.headers["www-authenticate"] == challenge)
                }
            }
            server.issue("issued", [.status])
            for path in Self.paths {
                for field in ["X-API-Key: issued", "Authorization: Bearer issued"] {
                    #expect(try await server.ask("HEAD", path, [field]).status == 200)
                }
            }
            let refused = try await server.ask("GET", "/status/events", [])
            #expect(refused.body == #"{"detail":"Unauthorized"}"#)
            let token = try await server.ask(
                "GET", "/status/positions", [Self.bearer("po-lin")])
            #expect(token.detail?.contains("scope status") == true)
        }
    }

    @Test(arguments: [false, true])
    func `metrics are open to anybody, or to callers who may see the status`(
        _ needKey: Bool
    ) async throws {
        try await RoutesServer.with(
            configure: { $0.metricsNeedKey = needKey },
            access: { access in
                access.tokenSecret = Self.secret
                access.applicationKeys = RoutesServer.key
            }
        ) { server in
            server.issue("issued", [.ingest, .captures, .meals, .media])
            let cases = [
                ([], 401), (["X-API-Key: wrong"], 401), (["Authorization: Bearer issued"], 403),
                ([Self.bearer("po-lin")], 403), (["X-API-Key: \(RoutesServer.key)"], 200),
            ]
            for (fields, status) in cases {
                for method in ["GET", "HEAD"] {
                    let answer = try await server.ask(method, "/metrics", fields)
                    #expect(answer.status == (needKey ? status : 200), "\(fields)")
                }
            }
        }
    }

    @Test(arguments: [false, true]) func `metrics are refused to pages of other sites`(
        _ needKey: Bool
    ) async throws {
        try await RoutesServer.with(
            configure: { $0.metricsNeedKey = needKey }, access: { _ in }
        ) { server in
            for path in ["/metrics", "/status/positions"] {
                let local = try await server.ask("GET", path, [], host: "localhost:81")
                #expect(local.status == 200)
                let fields = ["Origin: http://elsewhere.example"]
                let foreign = try await server.ask("GET", path, fields, host: "localhost:81")
                #expect(foreign.status == 403)
                let rebound = try await server.ask("GET", path, [], host: "rebound.example")
                #expect(rebound.status == 403)
            }
        }
    }

    @Test func `without a key the page is a form`() async throws {
        try await RoutesServer.with { server in
            let form = try await server.ask("GET", "/status", [])
            #expect(form.status == 401)
            #expect(form.body.contains("<form method=\"post\" action=\"/status/session\">"))
            #expect(!form.body.contains("MESSAGE") && !form.body.contains("page.js"))
            let page = try await server.ask("GET", "/status")
            #expect(page.status == 200)
            #expect(page.body.contains("<body data-access=\"open\""))
            for answer in [form, page] {
                #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                let policy = try #require(answer.headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe") && !policy.contains("://"))
                // Nothing inline, nothing from elsewhere.
                #expect(!answer.body.contains("style=\"") && !answer.body.contains("<style"))
                #expect(!answer.body.contains("://"))
                #expect(answer.body.firstMatch(of: /[ ]on[a-z]+=/) == nil)
            }
        }
    }

    @Test func `the page's parts are open to anybody, and all that it loads exists`() async throws {
        try await RoutesServer.with { server in
            var texts = [String(decoding: Embedded.page_html, as: UTF8.self)]
            for part in StatusPage.Part.allCases {
                let answer = try await server.ask("GET", "/status/page/\(part.rawValue)", [])
                #expect(answer.status == 200)
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["cache-control"] == "no-store")
                let type = try #require(answer.headers["content-type"])
                let ends = [".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"]
                for (end, expected) in ends where part.rawValue.hasSuffix(end) {
                    #expect(type.hasPrefix(expected))
                }
                texts.append(answer.body)
            }
            let known = Set(StatusPage.Part.allCases.map(\.rawValue))
            for text in texts {
                for match in text.matches(of: /(?:\/status\/page\/|from "\.\/)([a-z.-]+)"/) {
                    #expect(known.contains(String(match.1)))
                }
            }
            for name in ["page.html", "nothing.js", "..%2fpage.css", "PAGE.JS"] {
                let answer = try await server.ask("GET", "/status/page/\(name)", [])
                #expect(answer.status == 404, "\(name)")
                #expect(answer.detail == "Not Found")
            }
            #expect(try await server.ask("POST", "/status", [], body: []).status == 405)
            let session = try await server.ask("GET", "/status/session", [])
            #expect(session.headers["allow"] == "POST, DELETE")
        }
    }

    @Test func `an open server shows the status to this machine, not to other sites' pages`()
        async throws
    {
        try await RoutesServer.with(access: { _ in }) { server in
            let host = "localhost:81"
            for path in Self.paths {
                #expect(try await server.ask("HEAD", path, [], host: host).status == 200)
                let page = try await server.ask(
                    "GET", path, ["Origin: http://evil.example"], host: host)
                #expect(page.status == 403, "\(path)")
                #expect(try await server.ask("GET", path, [], host: "evil.example").status == 403)
            }
            let signedIn = try await server.ask(
                "POST", "/status/session", [RoutesServer.form], host: host, body: Array("key=".utf8)
            )
            #expect(signedIn.status == 303)
            #expect(signedIn.headers["set-cookie"] == nil)
            // The first key for apps ends that.
            server.issue("issued", [.captures])
            for path in Self.paths {
                #expect(try await server.ask("HEAD", path, [], host: host).status == 401)
            }
        }
    }

    @Test func `a key is not called wrong before the issued ones are known`() async throws {
        try await RoutesServer.with(knowsAllKeys: false) { server in
            for path in Self.paths {
                let answer = try await server.ask("GET", path, ["X-API-Key: wrong"])
                #expect(answer.status == 503, "\(path)")
                #expect(answer.headers["retry-after"] != nil)
            }
            #expect(try await server.signIn("wrong").status == 503)
            #expect(try await server.signIn(RoutesServer.key).status == 303)
        }
    }
}
