import Instruments
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct RouteTableTests {
    private func ask(
        _ server: RunningServer, _ method: String, _ path: String, version: String = "1.1",
        body: String = ""
    ) async throws -> ParsedAnswer {
        try await onThread {
            let client = try server.client()
            try client.send(
                Samples.head(
                    length: body.isEmpty ? nil : body.utf8.count, method: method, key: nil,
                    path: path, version: version) + body)
            let answer = try client.receiveAnswer(isHead: method == "HEAD")
            // Whatever the answer was, the connection must be in the state that the answer names.
            if answer.headers["connection"] == "close" {
                try client.expectEnd()
            } else {
                try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.receiveAnswer().status == 200)
            }
            return answer
        }
    }

    @Test(arguments: ["/", "/health", "/health/", "/?x=y", "/livez", "/readyz"])
    func `a healthy server says so`(path: String) async throws {
        try await RunningServer.with { server in
            let answer = try await ask(server, "GET", path)
            #expect(answer.status == 200)
            #expect(answer.body == #"{"status":"ok"}"#)
            #expect(answer.headers["content-type"] == "application/json")
            let head = try await ask(server, "HEAD", path)
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers["content-length"] == "15")
        }
    }

    @Test func `a browser gets links that lead somewhere`() async throws {
        try await RunningServer.with { server in
            let answer = try await onThread {
                let client = try server.client()
                try client.send(
                    "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,*/*;q=0.8\r\n\r\n")
                return try client.receiveAnswer()
            }
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            let links = answer.body.matches(of: #/href="([a-z]+)"/#).map { "/" + $0.1 }
            // The rig has no status page.
            #expect(links == ["/status", "/docs", "/metrics", "/health"])
            for link in links.dropFirst() {
                #expect(try await ask(server, "GET", link).status == 200, "\(link)")
            }
        }
    }

    @Test func `an unreachable database shows in the health only`() async throws {
        try await RunningServer.with { server in
            server.sink.set(isUp: false)
            let health = try await ask(server, "GET", "/health")
            #expect(health.status == 503)
            #expect(health.body == #"{"detail":"Database unavailable"}"#)
            #expect(health.headers["retry-after"] != nil)
            #expect(try await ask(server, "HEAD", "/health").status == 503)
            #expect(try await ask(server, "GET", "/readyz").status == 503)
            for path in ["/", "/livez"] {
                #expect(try await ask(server, "GET", path).status == 200)
            }
        }
    }

    @Test func `the metrics are a page of Prometheus text`() async throws {
        try await RunningServer.with { server in
            _ = try await onThread {
                let client = try server.client()
                try client.send(Samples.post())
                return try client.receiveAnswer()
            }
            let answer = try await ask(server, "GET", "/metrics")
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            for line in [
                #"sluice_http_requests_total{route="/ingest",status="200"} 1"#,
                #"sluice_readings_total{outcome="stored"} 3"#,
                "sluice_acknowledgement_seconds_count 1",
            ] {
                #expect(answer.body.contains(line + "\n"))
            }
            #expect(try await ask(server, "HEAD", "/metrics").status == 200)
        }
    }

    @Test func `the router's times are recorded by route and method, and only for known routes`()
        async throws
    {
        try await RunningServer.with { server in
            for method in ["GET", "HEAD", "POST", "DELETE"] {
                _ = try await ask(server, method, "/health?x=1")
            }
            _ = try await ask(server, "GET", "/nowhere")
            let page = try await ask(server, "GET", "/metrics").body
            let lines = page.split(separator: "\n").filter {
                $0.hasPrefix("sluice_http_request_seconds_count{")
            }
            #expect(lines.count == 7)
            // The rig requests / until the server answers.
            let asked = lines.filter { !$0.hasSuffix(" 0") && !$0.contains(#"route="/","#) }
            #expect(
                asked == [
                    #"sluice_http_request_seconds_count{route="/health",method="GET"} 2"#
                ])
        }
    }

    @Test(arguments: [
        ("GET", "/nowhere", 404), ("POST", "/ingest2", 404), ("POST", "/health", 405),
        ("DELETE", "/", 405), ("PUT", "/metrics/", 405), ("OPTIONS", "/health", 405),
    ])
    func `every error is answered in JSON`(method: String, path: String, status: Int) async throws {
        try await RunningServer.with { server in
            let answer = try await ask(server, method, path, body: "some body")
            #expect(answer.status == status)
            #expect(answer.detail?.isEmpty == false)
            #expect(answer.headers["content-type"] == "application/json")
            #expect((answer.headers["allow"] == "GET, HEAD") == (status == 405))
        }
    }

    @Test func `an HTTP 1,0 client sees the end of its answer`() async throws {
        try await RunningServer.with { server in
            let answer = try await ask(server, "GET", "/health", version: "1.0")
            #expect(answer.headers["connection"] == "close")
        }
    }

    @Test func `a large body that the router does not read ends the connection`() async throws {
        try await RunningServer.with { server in
            let answers = try await onThread {
                let client = try server.client()
                try client.send(Samples.head(length: 20 << 20, path: "/nowhere"))
                let piece = [UInt8](repeating: 0x20, count: 1 << 20)
                for _ in 0..<20 { try client.send(piece) }
                return try client.receiveAll()
            }
            #expect(answers.map(\.status) == [404])
            #expect(answers.first?.headers["connection"] == "close")
        }
    }

    /// More than the kernel takes at once, for a slow client that has closed its sending side.
    @Test func `a large answer is sent whole before the connection ends`() async throws {
        try await RunningServer.with { configuration in
            configuration.sendTimeout = .seconds(5)
            configuration.lingerTimeout = .seconds(5)
        } _: { server in
            let help = String(repeating: "x", count: 1 << 20)
            for number in 0..<32 { _ = server.registry.gauge("large_\(number)", help: help) }
            let answers = try await onThread {
                let client = try TCPClient(port: server.port, receiveBytes: 65_536)
                try client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.closeSending()
                return try client.receiveAll(pause: 0.012)
            }
            #expect(answers.map(\.status) == [200])
            #expect(answers.first.map { $0.body.utf8.count > 32 << 20 } == true)
        }
    }

    @Test func `a client that expects a 100 gets its refusal here too`() async throws {
        try await RunningServer.with { server in
            let answers = try await onThread {
                let client = try server.client()
                try client.send(
                    Samples.head(
                        length: 5, path: "/nowhere", fields: ["Expect: 100-continue"]))
                return try client.receiveAll()
            }
            #expect(answers.map(\.status) == [404])
            #expect(answers.first?.headers["connection"] == "close")
        }
    }
}
