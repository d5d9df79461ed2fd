import Foundation
import Postgres
import TestSupport
import Testing

@testable import SluiceClient

/// The clients with a queue, in Swift and in Python, against a real server.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DeviceQueueTests {
    /// A row of vitals of one device.
    private struct Stored: Equatable {
        let rows, times, lowest, highest, sum: Int64

        init(allOf count: Int) {
            let count = Int64(count)
            (rows, times, lowest, highest) = (count, count, 0, count - 1)
            sum = count * (count - 1) / 2
        }

        init(_ device: String, _ settings: ConnectionSettings) throws {
            let connection = try Connection.open(settings, deadline: .now + .seconds(60))
            defer { connection.close() }
            let row = try connection.query(
                """
                SELECT count(*), count(DISTINCT time), coalesce(min(value), -1)::int8,
                    coalesce(max(value), -1)::int8, coalesce(sum(value), -1)::int8
                FROM analytics.vital WHERE device_id = '\(device)'
                """)
            rows = row.int64(0, 0)
            times = row.int64(0, 1)
            lowest = row.int64(0, 2)
            highest = row.int64(0, 3)
            sum = row.int64(0, 4)
        }
    }

    private static func start(
        _ environment: [String: String], port: Int
    ) async throws -> RunningServer {
        try await RunningServer.start(
            environment: environment, arguments: ["--port", "\(port)"])
    }

    /// Clients of both languages share a queue. All are killed, the server is killed, and the network
    /// breaks, cuts answers off or is gone, while they append and send.
    @Test(arguments: [1, 2] as [UInt64])
    func `nothing is lost and nothing is stored twice when clients, server and network fail`(
        seed: UInt64
    ) async throws {
        let readings = 4000
        var dice = Dice(seed: seed)
        let (environment, settings) = try Fixtures.environment("queue")
        let queue = TestCluster.freshDirectory()
        defer { TestCluster.discard(queue) }
        let port = TestCluster.freePort()
        let network = try BadNetwork(toPort: port)
        var server = try await Self.start(environment, port: port)
        let workers = try QueueWorker.Language.allCases.map { language in
            try QueueWorker(
                language, device: language.rawValue, queue: queue, url: network.url,
                readings: readings)
        }
        var (clientKills, serverKills) = (0, 0)
        try network.become("rough")
        for round in 0..<24 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...250, using: &dice)))
            switch round % 6 {
            case 0, 2, 4:
                let worker = workers[round / 2 % 2]
                if worker.isRunning { clientKills += 1 }
                try await worker.killAndRestart()
            case 1: try network.become("off")
            case 3: try network.become("rough")
            default:
                #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
                serverKills += 1
                server = try await Self.start(environment, port: port)
            }
        }
        try network.become("calm")
        for worker in workers {
            #expect(try await worker.finish() == 0)
            #expect(worker.appended == readings)
        }
        let left = try ReadingQueue(directory: URL(fileURLWithPath: queue)).state()
        #expect(left.readings == 0 && left.rejectedBatches == 0)
        #expect(left.counts.dropped == 0 && left.counts.rejected == 0 && left.counts.damaged == 0)
        for worker in workers {
            let expected = Stored(allOf: readings)
            let isThere = try await eventually(every: .milliseconds(100)) {
                try Stored(worker.device, settings) == expected
            }
            let found = try Stored(worker.device, settings)
            #expect(isThere, "\(worker.device): \(found)")
        }
        // Otherwise this test has shown nothing.
        #expect(clientKills >= 4 && serverKills == 4)
        #expect(network.answersLost > 0)
        #expect(try await server.end() == 0)
    }

    private static let yesterday = Int(Date().timeIntervalSince1970) - 86_400

    private static func vital(_ number: Int) -> String {
        #"{"t":\#(yesterday + number),"type":"vital","code":1,"val":\#(number)}"#
    }

    /// One pass over a queue, in either language.
    private static func send(
        _ queue: String, _ url: String, key: String, _ language: QueueWorker.Language
    ) async throws {
        if language == .swift {
            let configuration = TelemetryClient.Configuration(
                url: try #require(URL(string: url + "/ingest")), key: key)
            let client = TelemetryClient(
                configuration, queue: try ReadingQueue(directory: URL(fileURLWithPath: queue)))
            _ = await client.send()
        } else {
            let program = Project.file("Sources/Client/Python/sluice_client.py").path
            let outcome = try await Subprocess.run(
                "/usr/bin/env",
                ["python3", "-B", program, "send", "--queue", queue, "--url", url + "/ingest"],
                environment: ["SLUICE_KEY": key])
            #expect(outcome.err.isEmpty, "\(outcome.err)")
        }
    }

    @Test(arguments: QueueWorker.Language.allCases)
    func `a batch that is refused costs only what is wrong in it`(
        language: QueueWorker.Language
    ) async throws {
        let (environment, settings) = try Fixtures.environment(
            "aside", ["SLUICE_BODY_BYTES_MAX": "32KiB"])
        let server = try await RunningServer.start(environment: environment)
        let directory = TestCluster.freshDirectory()
        defer { TestCluster.discard(directory) }
        let queue = try ReadingQueue(directory: URL(fileURLWithPath: directory))
        func append(_ readings: [String], _ metadata: String = #"{"device_id":"d"}"#) throws {
            try queue.append(readings.map { Data($0.utf8) }, metadata: Data(metadata.utf8))
        }
        // A text that is not JSON makes a batch a 400, 60 KB of readings a 413, and a device without
        // a name a 422. `append` lets no such text in.
        let odd = SegmentText(
            metadata: Data(#"{"device_id":"d"}"#.utf8),
            readings: [Self.vital(0), "{,}", Self.vital(1)].map { Data($0.utf8) })
        try odd.bytes.write(to: URL(fileURLWithPath: directory + "/1000000000000000.ready"))
        try append((2..<1000).map(Self.vital))
        try append([Self.vital(2000)], #"{"device_id":""}"#)
        try append([Self.vital(1000), #"{"t":"soon","type":"vital","code":1,"val":1}"#])
        // Kept while the key is wrong.
        try await Self.send(directory, server.url, key: "wrong", language)
        #expect(try queue.state().readings == 1004)
        try await Self.send(directory, server.url, key: "test-key", language)
        let state = try queue.state()
        #expect(state.readings == 0)
        #expect(state.rejectedBatches == 2 && state.counts.rejected == 2)
        let reasons = try queue.rejectionReasons()
        #expect(reasons.contains { $0.hasPrefix("400 ") })
        #expect(reasons.contains { $0.hasPrefix("422 ") })
        #expect(try Stored("d", settings) == Stored(allOf: 1001))
        #expect(try Fixtures.count("sluice.quarantine", settings) == 1)
        #expect(try await server.end() == 0)
    }

    @Test func `the examples of the page for Python and the shell do what they say`() async throws {
        let (environment, settings) = try Fixtures.environment("examples")
        let server = try await RunningServer.start(environment: environment)
        let directory = TestCluster.freshDirectory()
        defer { TestCluster.discard(directory) }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let program = Project.file("Sources/Client/Python/sluice_client.py").path
        func filledIn(_ beginning: String) throws -> String {
            try CodeBlock.named("deploy/clients.md", beginning).text
                .replacing("https://sluice.example.org", with: server.url)
                .replacing("\"KEY\"", with: "\"test-key\"")
                .replacing("SLUICE_KEY=KEY", with: "SLUICE_KEY=test-key")
                .replacing("/var/lib/thermometer", with: directory)
                .replacing("/usr/share/sluice/sluice_client.py", with: program)
                .replacing("readings.ndjson", with: "\(directory)/readings.ndjson")
        }
        let python = try await Subprocess.run(
            "/usr/bin/env", ["python3", "-B", "-c", try filledIn("import time")],
            environment: ["PYTHONPATH": Project.file("Sources/Client/Python").path])
        #expect(
            python.out == "1 sent: 1 stored, 0 duplicates, 0 quarantined; 0 rejected\n", "\(python)"
        )
        try "\(Self.vital(1))\n\(Self.vital(2))\n\(Self.vital(1))\n".write(
            toFile: directory + "/readings.ndjson", atomically: true, encoding: .utf8)
        let shell = try await Subprocess.run(
            "/bin/bash", ["-c", try filledIn("export SLUICE_KEY")])
        #expect(
            shell.out.contains("3 sent: 2 stored, 1 duplicates, 0 quarantined; 0 rejected"),
            "\(shell)")
        #expect(shell.out.contains(#""readings": 0"#) && shell.status == 0, "\(shell)")
        #expect(try Fixtures.count("sluice.vital", settings) == 3)
        #expect(try await server.end() == 0)
    }
}
