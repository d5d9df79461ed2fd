import Foundation
import TestSupport
import Testing

/// Access to users' routes, with and without TLS.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: CaptureClient.python != nil, "no Python: deploy/install-dependencies test"))
struct CaptureAccessTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    @Test
    func
        `a token gives access to its user's data, a key to all users' data, and nothing else does`()
        async throws
    {
        let (environment, _) = try Fixtures.environment(
            "access", ["SLUICE_JWT_SECRET": Self.secret, "SLUICE_HOST": "0.0.0.0"])
        let created = try await Subprocess.sluice(
            "keys", "create", "x", "--scope", "captures", environment: environment)
        #expect(created.status == 0, "\(created.err)")
        let key = created.out.trimmingCharacters(in: .newlines)
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("access", server.url, Self.secret, key)
        // Each scope gives access to its own routes only.
        #expect(try await server.post(Fixtures.sample, key: key).status == 403)
        let meals = try await Subprocess.sluice(
            "keys", "create", "y", "--scope", "meals", environment: environment)
        let bearer = "Authorization: Bearer " + meals.out.trimmingCharacters(in: .newlines)
        // A 401 until the server knows the new key.
        let isRefused = try await eventually(every: .milliseconds(50)) {
            try await Answer.curl(["-H", bearer, server.url + "/user/ann/contacts"]).status == 403
        }
        #expect(isRefused)
        #expect(try await server.end() == 0)
        for text in [server.output, server.log] {
            #expect(!text.contains(key) && !text.contains(Self.secret))
        }
    }

    @Test(arguments: ["0.0.0.0", "::"])
    func `without token and key it serves only this machine`(
        host: String
    ) async throws {
        let (environment, _) = try Fixtures.environment("open")
        let refused = try await Subprocess.sluice(
            "serve", "--port", "0", "--host", host, environment: environment)
        #expect(refused.status == 64, "\(refused.out)\(refused.err)")
        for words in ["SLUICE_JWT_SECRET", "sluice keys create", "--allow-open", "127.0.0.1"] {
            #expect(refused.err.contains(words), "\(refused.err)")
        }
        #expect(!refused.out.contains("is serving"))
    }

    @Test func `it serves everybody once that is allowed`() async throws {
        let (environment, _) = try Fixtures.environment("meant", ["SLUICE_HOST": "0.0.0.0"])
        let server = try await RunningServer.start(
            environment: environment, arguments: ["--allow-open"])
        #expect(try await server.get("/user/ann/contacts").status == 200)
        #expect(try await server.end() == 0)
    }

    @Test func `with trusted paths, apps with and without a token share one server`()
        async throws
    {
        let (environment, _) = try Fixtures.environment(
            "trusting",
            [
                "SLUICE_JWT_SECRET": Self.secret, "SLUICE_HOST": "0.0.0.0",
                "SLUICE_TRUST_PATH_USER": "true",
            ])
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("trusting", server.url, Self.secret)
        try await MealClient.run("trusting", server.url, Self.secret)
        #expect(server.output.contains("captures and the journal of every user"))
        #expect(try await server.get("/status/events").status == 401)
        #expect(try await server.end() == 0)
        let doctor = try await Subprocess.sluice("doctor", environment: environment)
        #expect(doctor.out.contains("trusted paths"), "\(doctor.out)")
    }

    @Test func `without token and key it rejects web pages of other sites`() async throws {
        let (environment, _) = try Fixtures.environment("sites")
        let server = try await RunningServer.start(environment: environment)
        let url = server.url + "/user/ann/contacts"
        #expect(try await Answer.curl([url]).status == 200)
        for field in ["Host: evil.example", "Origin: http://evil.example"] {
            let answer = try await Answer.curl(["-H", field, url])
            #expect(answer.status == 403)
            #expect(answer.body.hasPrefix(#"{"status":"error""#), "\(answer)")
        }
        #expect(try await server.end() == 0)
    }

    @Test func `TLS and HTTP2 work the same, and a renewed certificate is used`()
        async throws
    {
        let directory = URL(fileURLWithPath: TestCluster.freshDirectory())
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func file(_ name: String) -> String { directory.appendingPathComponent(name).path }
        /// Makes a certificate, keeps a copy for clients, and installs it.
        func issue(_ name: String) async throws {
            let made = try await Subprocess.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj",
                    "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", file("key.pem"), "-out", file(name),
                ])
            #expect(made.status == 0, "\(made.err)")
            let chain = try Data(contentsOf: URL(fileURLWithPath: file(name)))
            try chain.write(to: URL(fileURLWithPath: file("chain.pem")))
        }
        try await issue("first.pem")
        let (environment, _) = try Fixtures.environment(
            "tls",
            ["SLUICE_TLS_CERT": file("chain.pem"), "SLUICE_TLS_KEY": file("key.pem")])
        let server = try await RunningServer.start(environment: environment)
        #expect(server.url.hasPrefix("https://"))
        try await CaptureClient.run("secure", server.url, file("first.pem"))

        func get(_ path: String, _ certificate: String, _ version: String) async throws -> Answer {
            try await Answer.curl(["--cacert", file(certificate), version, server.url + path])
        }
        for version in ["--http2", "--http1.1"] {
            let answer = try await get("/memories/tls/2026-01-24", "first.pem", version)
            #expect(answer.status == 200 && answer.body.contains(#""totalCaptures": 1"#))
        }
        let posted = try await Answer.curl(
            [
                "--cacert", file("first.pem"), "--http2", server.url + "/ingest", "-H",
                "X-API-Key: test-key", "-H", "Content-Type: application/json", "--data-binary",
                "@-",
            ], input: Fixtures.sample)
        #expect(posted.status == 200 && posted.headers["x-durability"] == "committed", "\(posted)")

        try await issue("second.pem")
        server.signal(SIGHUP)
        let isRenewed = try await eventually(every: .milliseconds(50)) {
            (try? await get("/health", "second.pem", "--http2"))?.status == 200
        }
        #expect(isRenewed, "\(server.log)")
        // A file that is no certificate changes nothing.
        try Data("junk".utf8).write(to: URL(fileURLWithPath: file("chain.pem")))
        server.signal(SIGHUP)
        let isTold = try await eventually(every: .milliseconds(50)) {
            server.log.contains("the one before stays in force")
        }
        #expect(isTold, "\(server.log)")
        #expect(try await get("/health", "second.pem", "--http2").status == 200)
        #expect(try await server.end() == 0)
    }
}
