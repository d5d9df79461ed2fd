import Foundation
import TestSupport
import Testing

/// What a 200 promises holds with the private cluster after a kill of the server, and of both.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct CrashTests {
    private static let readingsPerBatch = 5

    /// Posts batches until the server is gone.
    ///
    /// - Returns: the number of batches that were answered with 200.
    private static func client(_ device: String, _ url: String) async throws -> Int {
        let day = Fixtures.yesterday
        for round in 0..<10_000 {
            let seconds = round * readingsPerBatch..<(round + 1) * readingsPerBatch
            let body = Fixtures.batch(device, seconds: seconds, day: day)
            guard let (status, _) = try? await Poster.post(url, body) else { return round }
            #expect(status == 200)
        }
        return 10_000
    }

    @Test(arguments: [false, true])
    func `readings that were acknowledged before a kill are stored after it`(alsoDatabase: Bool)
        async throws
    {
        let directory = TestCluster.freshDirectory()
        defer { TestCluster.discard(directory) }
        let environment = ["SLUICE_DATA_DIR": directory, "INGEST_API_KEY": "test-key"]
        let server = try await RunningServer.start(environment: environment)
        let devices = (0..<6).map { "device \($0)" }
        let clients = devices.map { device in
            Task { try await Self.client(device, server.url + "/ingest") }
        }
        let isBusy = try await eventually(every: .milliseconds(50)) {
            MetricsPage(try await server.get("/metrics").body).outcome("stored") > 500
        }
        #expect(isBusy)
        if alsoDatabase {
            let file = directory + "/postgres/data/postmaster.pid"
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            server.signal(SIGSTOP)
            kill(try #require(pid_t(lines[0])), SIGKILL)
        }
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)

        let again = try await RunningServer.start(environment: environment)
        var acknowledged = 0
        for (device, client) in zip(devices, clients) {
            let readings = try await client.value * Self.readingsPerBatch
            acknowledged += readings
            let body = Fixtures.batch(device, seconds: 0..<readings, day: Fixtures.yesterday)
            let (status, answer) = try await Poster.post(again.url + "/ingest", body)
            #expect(status == 200)
            #expect(answer["stored"] as? Int == 0, "\(answer)")
            #expect(answer["duplicates"] as? Int == readings)
        }
        #expect(acknowledged > 0)
        #expect(try await again.end() == 0)
    }

    @Test
    func `a killed private server is restarted, and the batches sent meanwhile are stored`()
        async throws
    {
        let directory = TestCluster.freshDirectory()
        defer { TestCluster.discard(directory) }
        let server = try await RunningServer.start(environment: [
            "SLUICE_DATA_DIR": directory, "INGEST_API_KEY": "test-key",
        ])
        let day = Fixtures.yesterday
        let url = server.url + "/ingest"
        #expect(
            try await Poster.post(url, Fixtures.batch("d", seconds: 0..<5, day: day)).0 == 200)
        let file = directory + "/postgres/data/postmaster.pid"
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        kill(try #require(pid_t(lines[0])), SIGKILL)
        let (status, _) = try await Poster.post(url, Fixtures.batch("d", seconds: 5..<9, day: day))
        #expect(status == 202 || status == 200)
        let isBack = try await eventually(every: .milliseconds(50)) {
            let batch = Fixtures.batch("d", seconds: 0..<9, day: day)
            let (status, answer) = try await Poster.post(url, batch)
            return status == 200 && answer["duplicates"] as? Int == 9
        }
        #expect(isBack, "\(server.log)")
        // The lanes may recover before pg_ctl reports that the server runs.
        let isTold = try await eventually(every: .milliseconds(50)) {
            server.log.contains("was restarted")
        }
        #expect(isTold, "\(server.log)")
        #expect(try await server.end() == 0)
    }
}
