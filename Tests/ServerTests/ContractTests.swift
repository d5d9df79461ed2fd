import Foundation
import Postgres
import Testing

/// Every row of the contract's table for telemetry, with the real binary and the real curl.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct ContractTests {
    private static func server(
        _ more: [String: String] = [:]
    ) async throws -> (RunningServer, ConnectionSettings) {
        let (environment, settings) = try Fixtures.environment("contract", more)
        return (try await RunningServer.start(environment: environment), settings)
    }

    private func rows(_ settings: ConnectionSettings) throws -> Int {
        try ["gps", "vital", "event", "quarantine"].reduce(0) {
            try $0 + Fixtures.count("sluice.\($1)", settings)
        }
    }

    @Test func `committed batches are answered with true counts`() async throws {
        let (server, settings) = try await Self.server()
        let first = try await server.post(Fixtures.sample)
        #expect(first.status == 200)
        #expect(first.headers["x-durability"] == "committed")
        #expect(first.headers["content-type"] == "application/json")
        #expect(
            first.body
                == #"{"status":"accepted","records":3,"stored":3,"duplicates":0,"quarantined":0}"#)
        #expect(try rows(settings) == 3)
        let again = try await server.post(Fixtures.sample)
        #expect(again.body.contains(#""stored":0,"duplicates":3"#))
        #expect(try rows(settings) == 3)
        let empty = try await server.post(#"{"data":[],"metadata":{"device_id":"d"}}"#)
        #expect(
            empty.body
                == #"{"status":"accepted","records":0,"stored":0,"duplicates":0,"quarantined":0}"#)
        #expect(try await server.end() == 0)
    }

    @Test func `the seed's batch is stored as it was sent`() async throws {
        let (server, settings) = try await Self.server()
        #expect(try await server.post(Fixtures.sample).status == 200)
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        let rows = try connection.query(
            """
            select concat_ws('|', g.device_id, g.user_id, g.time, g.latitude, g.longitude,
                g.accuracy_m, v.time, v.code, v.value, e.time, e.label, e.value, d.model_name,
                d.version)
            from analytics.gps g, analytics.vital v, analytics.event e, analytics.device d
            """)
        #expect(rows.count == 1)
        let device = "11111111-1111-1111-1111-111111111111"
        #expect(
            rows.string(0, 0)
                == "\(device)|\(device)|2026-02-10 14:57:07+00|34.0522|-118.2437|5|"
                + "2026-02-10 14:57:02+00|1|72|2026-02-10 14:56:57+00|motion_state|walking|"
                + "iPhone 15 Pro|1.0")
        _ = try await server.end()
    }

    @Test func `a faulty reading is quarantined and the others are stored`() async throws {
        let (server, settings) = try await Self.server()
        let answer = try await server.post(
            #"{"metadata":{"device_id":"D"},"data":["#
                + #"{"t":"2026-02-10T14:57:07Z","type":"gps","lat":91,"lon":0},"#
                + #"{"t":"2026-02-10T14:57:07Z","type":"vital","code":1,"val":"72.5"},"#
                + #"{"t":"2026-02-10T14:57:07Z","type":"event","label":"a\u0000b"},"#
                + #"{"t":"2026-02-10T14:57:07Z","type":"wind"}]}"#)
        #expect(answer.status == 200)
        #expect(
            answer.body
                == #"{"status":"accepted","records":4,"stored":1,"duplicates":0,"quarantined":3,"#
                + #""problems":[{"index":0,"reason":"lat_out_of_range","#
                + #""expected":"lat is a number from -90 to 90"},"#
                + #"{"index":2,"reason":"label_contains_nul","#
                + #""expected":"label is a text of 1 to 256 bytes of UTF-8, without NUL"},"#
                + #"{"index":3,"reason":"type_unknown","#
                + #""expected":"type is gps or vital or event"}]}"#)
        let byKey = "sluice.quarantine where api_key = 'configured-1'"
        #expect(try Fixtures.count(byKey, settings) == 3)
        #expect(try Fixtures.count("sluice.vital where val = 72.5", settings) == 1)
        _ = try await server.end()
    }

    @Test func `a wrong key is rejected whatever the body`() async throws {
        let (server, settings) = try await Self.server()
        for key in ["wrong", "", "test-key,test-key", nil] {
            for body in [Fixtures.sample, "not json", ""] {
                let answer = try await server.post(body, key: key)
                #expect(answer.status == 401)
                #expect(answer.body == #"{"detail":"Unauthorized"}"#)
            }
        }
        #expect(try rows(settings) == 0)
        _ = try await server.end()
    }

    @Test func `a body that is no batch stores nothing, and the answer names the position`()
        async throws
    {
        let (server, settings) = try await Self.server()
        let start = #"{"metadata":{"device_id":"d"},"data":[{"t":"2026-02-10T14:57:07Z","#
        let valid = start + #""type":"vital","code":1,"val":1}"#
        for (body, offset) in [
            ("{not json", 1), ("", 0), (valid, valid.utf8.count),
            (valid + ",]}", valid.utf8.count + 1),
            (valid + "]} x", valid.utf8.count + 3),
        ] {
            let answer = try await server.post(body)
            #expect(answer.status == 400, "\(body)")
            #expect(try answer.number("offset") == offset, "\(body): \(answer.body)")
            #expect(try answer.json["detail"] is String)
        }
        for (body, place) in [
            (#"{"metadata":{},"data":[]}"#, ["body", "metadata", "device_id"]),
            (#"{"metadata":{"device_id":"d"},"data":{}}"#, ["body", "data"]),
            (#"{"metadata":{"device_id":"d"}}"#, ["body", "data"]),
            (#"{"data":[]}"#, ["body", "metadata"]),
        ] {
            let answer = try await server.post(body)
            #expect(answer.status == 422, "\(body)")
            let details = try #require(try answer.json["detail"] as? [[String: Any]])
            #expect(details.first?["loc"] as? [String] == place, "\(answer.body)")
            #expect(details.first?["msg"] is String && details.first?["type"] is String)
        }
        let element = try await server.post(#"{"metadata":{"device_id":"d"},"data":[1]}"#)
        #expect(element.status == 422)
        #expect(try rows(settings) == 0)
        _ = try await server.end()
    }

    @Test func `invalid UTF-8 is rejected at its offset`() async throws {
        let (server, settings) = try await Self.server()
        let script =
            #"printf '{"metadata":{"device_id":"d\xff"},"data":[]}' | "#
            + "curl -s -w '%{http_code}' -H 'X-API-Key: test-key' --data-binary @- "
            + "\(server.url)/ingest"
        let outcome = try await Subprocess.run(
            "/bin/bash", ["-c", script + " -H 'Content-Type: application/json'"])
        #expect(outcome.out.hasSuffix("400"))
        #expect(outcome.out.contains(#""offset":27"#), "\(outcome.out)")
        #expect(try rows(settings) == 0)
        _ = try await server.end()
    }

    @Test func `size, encoding, method and type each have their own rejection`() async throws {
        let (server, settings) = try await Self.server(["SLUICE_BODY_BYTES_MAX": "64KiB"])
        let large = String(repeating: " ", count: 65_537)
        #expect(try await server.post(large).status == 413)
        for (body, header, status) in [
            (large, "Transfer-Encoding: chunked", 413), ("x", "Content-Encoding: br", 415),
            (Fixtures.sample, "Content-Type: text/plain", 415),
        ] {
            let answer = try await server.post(body, key: "test-key", "-H", header)
            #expect(answer.status == status, "\(header)")
            #expect(try answer.json["detail"] is String)
        }
        let method = try await Answer.curl([server.url + "/ingest"])
        #expect(method.status == 405)
        #expect(method.headers["allow"] == "POST")
        let nowhere = try await server.get("/nowhere")
        #expect(nowhere.status == 404)
        for answer in [method, nowhere] { #expect(try answer.json["detail"] is String) }
        #expect(try rows(settings) == 0)
        _ = try await server.end()
    }

    @Test func `a compressed body is stored like a plain one`() async throws {
        let (server, settings) = try await Self.server()
        for compression in Compression.allCases {
            let plain = Fixtures.sample.replacing("11111111-1111", with: compression.rawValue)
            let body = compression(Array(plain.utf8))
            #expect(body.count < plain.utf8.count)
            let (status, answer) = try await Poster.post(
                server.url + "/ingest", body, fields: ["Content-Encoding": compression.rawValue])
            #expect(status == 200, "\(compression): \(answer)")
            #expect(answer["stored"] as? Int == 3, "\(compression): \(answer)")
            // The same readings, whatever the encoding.
            #expect(try await server.post(plain).body.contains(#""stored":0,"duplicates":3"#))
        }
        #expect(try rows(settings) == 3 * Compression.allCases.count)
        let (status, _) = try await Poster.post(
            server.url + "/ingest", Array(Fixtures.sample.utf8),
            fields: ["Content-Encoding": "gzip"])
        #expect(status == 400)
        #expect(try await server.end() == 0)
    }

    @Test func `clients may omit or add members`() async throws {
        let (server, _) = try await Self.server()
        let without = try await server.post(Fixtures.sample, key: "test-key", "-H", "Content-Type:")
        #expect(without.status == 200)
        let with = try await server.post(
            Fixtures.sample, key: "test-key", "-H", "Content-Type: application/json; charset=utf-8",
            "-H", "Idempotency-Key: 1234", "-H", "Expect: 100-continue")
        #expect(with.body.contains(#""duplicates":3"#))
        for path in ["/", "/health"] {
            let answer = try await server.get(path)
            #expect(answer.status == 200)
            #expect(answer.body == #"{"status":"ok"}"#)
        }
        _ = try await server.end()
    }

    @Test func `a body that does not arrive times out`() async throws {
        let (server, _) = try await Self.server(["SLUICE_BODY_TIMEOUT": "500ms"])
        let port = try #require(server.url.split(separator: ":").last)
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'POST /ingest HTTP/1.1\\r\\nHost: x\\r\\nX-API-Key: test-key\\r\\n\
            Content-Length: 100\\r\\n\\r\\n{' >&3
            timeout 100 cat <&3
            """
        let outcome = try await Subprocess.run("/bin/bash", ["-c", script])
        #expect(outcome.out.hasPrefix("HTTP/1.1 408 "), "\(outcome.out)")
        #expect(outcome.out.contains(#""detail":"#))
        _ = try await server.end()
    }
}
