import Foundation
import Postgres
import TestSupport
import Testing

/// Agents and apps that exist, against the real binary: those that install run, of the others
/// exactly the body is sent that their encoder writes with the configuration in `deploy/agents.md`.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct AgentTests {
    private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Clients/agents.py").path

    private static func run(_ scenario: String, _ url: String) async throws {
        let outcome = try await Subprocess.run(
            try #require(CaptureClient.python), ["-B", program, scenario, url, "test-key"])
        #expect(outcome.status == 0, "\(scenario): \(outcome.out)\(outcome.err)")
    }

    @Test(.enabled(if: CaptureClient.python != nil))
    func `OpenTelemetry's SDK for Python delivers metrics and logs as protobuf`() async throws {
        let (environment, settings) = try Fixtures.environment("otlp")
        let server = try await RunningServer.start(environment: environment)
        for scenario in ["metrics", "logs", "refused"] { try await Self.run(scenario, server.url) }
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        let vitals = try connection.query(
            """
            select coalesce(string_agg(metric || '=' || vals, ' ' order by metric), '')
            from (
                select metric, string_agg(value::text, ',' order by time) as vals
                from analytics.vital where device_id = 'pi-7' and user_id = 'ann'
                group by metric
            ) m
            """)
        #expect(
            vitals.string(0, 0)
                == "pump.latency.count.pump=1,2,2 pump.latency.max.pump=0.25,0.25,0.25 "
                + "pump.latency.min.pump=0.25,0.25,0.25 pump.latency.sum.pump=0.25,0.5,0.5 "
                + "pump.pressure.pump=2.5,3.5,3.5 pump.strokes.pump.left=3,6,6")
        let events = try connection.query(
            """
            select coalesce(
                string_agg(concat_ws('|', label, value, metadata->>'valve'), ' ' order by time), '')
            from analytics.event where device_id = 'pi-7'
            """)
        #expect(events.string(0, 0) == "INFO|valve opened|4 WARN|valve stuck")
        #expect(try Fixtures.count("sluice.quarantine", settings) == 0)
        #expect(try await server.end() == 0)
    }

    /// An agent's request, and the rows that it becomes.
    private struct Sample: CustomTestStringConvertible, Sendable {
        let agent: String
        var path = "/ingest"
        var type = "application/json"
        let body: String
        /// Table, rows.
        let rows: [String: Int]

        var testDescription: String { agent }
    }

    private static let samples = [
        // codecs::encoding, JSON in an array; keys in the order of the alphabet.
        Sample(
            agent: "Vector",
            body: #"[{"device_id":"van-3","lat":52.5,"lon":13.4,"t":"2026-02-10T14:57:07.123456Z","#
                + #""type":"gps"},{"device_id":"van-4","lat":52.6,"lon":13.5,"#
                + #""t":1770735427,"type":"gps"}]"#, rows: ["gps": 2]),
        // The same with newline_delimited framing.
        Sample(
            agent: "Vector, lines", type: "application/x-ndjson",
            body: #"{"device_id":"van-3","lat":52.5,"lon":13.4,"t":1770735427,"type":"gps"}"# + "\n"
                + #"{"device_id":"van-4","lat":52.6,"lon":13.5,"t":1770735427,"type":"gps"}"#,
            rows: ["gps": 2]),
        // plugins/out_http, flb_pack_msgpack_to_json_format with FLB_PACK_JSON_FORMAT_JSON.
        Sample(
            agent: "Fluent Bit",
            body: #"[{"t":1770735427123,"val":3.5,"type":"vital","metric":"cpu_percent","#
                + #""device_id":"pi"},{"t":1770735437123,"val":0.0,"type":"vital","#
                + #""metric":"cpu_percent","device_id":"pi"}]"#, rows: ["vital": 2]),
        // plugins/serializers/json after the transformation; maps of Go are written in the order of
        // their keys.
        Sample(
            agent: "Telegraf",
            body: #"[{"device_id":"pi","metric":"cpu.usage_idle","t":1770735427000,"type":"vital","#
                + #""val":96.49999999990686},{"device_id":"pi","metric":"cpu.usage_user","#
                + #""t":1770735427000,"type":"vital","val":1.5}]"#, rows: ["vital": 2]),
        // archive, json_array.
        Sample(
            agent: "Redpanda Connect",
            body: #"[{"device_id":"room","metric":"temperature","t":"2026-02-10T14:57:07Z","#
                + #""type":"vital","val":21.5}]"#, rows: ["vital": 1]),
        // The library's documents, "HTTP Guide", batchSync with params.
        Sample(
            agent: "Background Geolocation", path: "/in/traccar/test-key",
            body: #"{"location":[{"event":"motionchange","is_moving":false,"#
                + #""uuid":"c9d5a5f4-6d5c-4f2e-9d0b-0a7d6f3f2a11","#
                + #""timestamp":"2026-02-10T14:57:07.123Z","odometer":1203.5,"coords":{"#
                + #""latitude":45.519,"longitude":-73.617,"accuracy":5,"speed":-1,"#
                + #""speed_accuracy":-1,"heading":-1,"heading_accuracy":-1,"altitude":43.2,"#
                + #""altitude_accuracy":3,"ellipsoidal_altitude":43.2},"#
                + #""activity":{"type":"still","confidence":100},"#
                + #""battery":{"is_charging":true,"level":0.93},"extras":{}}],"#
                + #""device_id":"phone"}"#, rows: ["gps": 1, "vital": 2, "event": 2]),
    ]

    @Test(arguments: samples) private func `an agent's body is stored, once`(
        sample: Sample
    ) async throws {
        let (environment, settings) = try Fixtures.environment("agent")
        let server = try await RunningServer.start(environment: environment)
        for _ in 0..<2 {
            let answer = try await Answer.curl(
                [
                    "-X", "POST", server.url + sample.path, "-H", "X-API-Key: test-key",
                    "-H", "Content-Type: \(sample.type)", "--data-binary", "@-",
                ], input: sample.body)
            #expect(answer.status == 200, "\(answer)")
            for table in ["gps", "vital", "event"] {
                #expect(
                    try Fixtures.count("sluice.\(table)", settings) == sample.rows[table] ?? 0,
                    "\(table)")
            }
            #expect(try Fixtures.count("sluice.quarantine", settings) == 0)
        }
        #expect(try await server.end() == 0)
    }

    /// An export of Health Auto Export with so many heartbeats.
    private static func heartbeats(_ count: Int) -> String {
        let points = (0..<count).map { number in
            let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60)
            let time = String(format: "%02d:%02d:%02d", hour, minute, second)
            return #"{"date":"2026-02-10 \#(time) +0000","Min":60,"Avg":72.5,"Max":80,"#
                + #""source":"Ann's Watch"}"#
        }
        return #"{"data":{"metrics":[{"name":"heart_rate","units":"count/min","data":["#
            + points.joined(separator: ",") + "]}]}}"
    }

    @Test func `a large body is stored once, and holds up no other client`() async throws {
        let (environment, settings) = try Fixtures.environment(
            "large", ["SLUICE_EVENT_LOOPS": "1"])
        let server = try await RunningServer.start(environment: environment)
        let body = Self.heartbeats(20_000)
        let target = server.url + "/in/health?device=watch"
        for stored in [60_000, 0] {
            let start = ContinuousClock.now
            async let answered = Poster.post(target, body)
            var (slowest, asked) = (Duration.zero, 0)
            while asked < 40 {
                let asking = ContinuousClock.now
                #expect(try await server.get("/health").status == 200)
                slowest = max(slowest, .now - asking)
                asked += 1
            }
            let (status, answer) = try await answered
            let whole = .now - start
            #expect(status == 200 && answer["records"] as? Int == 60_000)
            #expect(answer["stored"] as? Int == stored)
            #expect(
                slowest < max(whole / 4, .milliseconds(500)),
                "the slowest took \(slowest) of \(whole)")
        }
        let cut = try await Poster.post(target, String(body.dropLast(3)))
        #expect(cut.0 == 400 && cut.1["offset"] as? Int == body.utf8.count - 3)
        #expect(try Fixtures.count("sluice.vital", settings) == 60_000)
        #expect(try await server.end() == 0)
    }

    @Test func `a day of Health Auto Export that is sent again is stored once`() async throws {
        let (environment, settings) = try Fixtures.environment("health")
        let server = try await RunningServer.start(environment: environment)
        let path = Project.file("Tests/Apps/FormatsTests/Fixtures/health-day.http")
        let parts = try String(contentsOf: path, encoding: .utf8)
            .split(separator: "\n\n", maxSplits: 1)
        let target = try #require(parts[0].split(separator: " ").dropFirst().first)
            .prefix { $0 != "\n" }
        var rows: [Int] = []
        for stored in [20, 0] {
            let (status, answer) = try await Poster.post(
                server.url + target, String(parts[1]))
            #expect(status == 200)
            #expect(answer["records"] as? Int == 20 && answer["stored"] as? Int == stored)
            #expect(answer["duplicates"] as? Int == 20 - stored)
            rows.append(
                try ["gps", "vital", "event"].reduce(0) {
                    try $0 + Fixtures.count("sluice.\($1)", settings)
                })
        }
        #expect(rows == [20, 20])
        #expect(try await server.end() == 0)
    }
}
