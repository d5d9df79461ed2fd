import Foundation
import Postgres
import TestSupport
import Testing

/// A network to the database that is slow, stalls or delays some of what it carries.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: CaptureClient.python != nil, "no Python: deploy/install-dependencies test"))
struct SlowNetworkTests {
    /// What the network is like, for how many rounds of batches.
    struct Weather: CustomTestStringConvertible {
        let testDescription: String
        let commands: [String]
        var rounds = 20
        var readings = 50
    }

    private static let weathers = [
        Weather(testDescription: "2 % of chunks come 200 ms later", commands: ["late=0.02,0.2"]),
        Weather(testDescription: "a pause of 5 s", commands: ["pause=5"]),
        Weather(
            testDescription: "1 MB/s", commands: ["rate=1000000"], rounds: 6, readings: 2000),
    ]

    private static let senders = 8
    /// A group that hangs is given up after 5 s, and then goes to the spool; what waits behind it
    /// goes there after 3 s.
    private static let answerMax = Duration.seconds(10)

    @Test(arguments: weathers)
    func `batches are answered or spooled in time, and each reading is stored once`(
        weather: Weather
    ) async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "slow")
        let network = try await SlowNetwork(to: settings)
        try network.become("delay=0.0005")
        let server = try await RunningServer.start(environment: [
            "DATABASE_URL": network.settings.connectionStringWithoutPassword,
            "INGEST_API_KEY": "test-key",
            "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
            // As in production; other tests have more patience.
            "SLUICE_PATIENCE": "1s", "SLUICE_STALL_MAX": "3s", "SLUICE_HEARTBEAT_MAX": "2s",
        ])
        let url = server.url + "/ingest"
        let first = Fixtures.batch("first", seconds: 0..<1, day: Fixtures.yesterday)
        #expect(try await Poster.post(url, first).0 == 200)
        for command in weather.commands { try network.become(command) }
        let slowest = try await withThrowingTaskGroup(of: Duration.self) { group in
            for sender in 0..<Self.senders {
                group.addTask {
                    var slowest = Duration.zero
                    for round in 0..<weather.rounds {
                        let seconds = round * weather.readings..<(round + 1) * weather.readings
                        let body = Fixtures.batch(
                            "d\(sender)", seconds: seconds, day: Fixtures.yesterday)
                        let start = ContinuousClock.now
                        let status = try await Poster.post(url, body).0
                        #expect(status == 200 || status == 202)
                        slowest = max(slowest, .now - start)
                    }
                    return slowest
                }
            }
            return try await group.reduce(.zero, max)
        }
        #expect(slowest < Self.answerMax)
        try network.become("late=0,0", "rate=0")
        let sent = 1 + Self.senders * weather.rounds * weather.readings
        let isStored = try await eventually(every: .milliseconds(100)) {
            try Fixtures.count("sluice.gps", settings) >= sent
        }
        #expect(isStored, "\(server.log)")
        let isCounted = try await eventually(every: .milliseconds(100)) {
            let page = MetricsPage(try await server.get("/metrics").body)
            return page["sluice_spool_waiting_readings"] == 0
                && page.received == page.settledAndInFlight + page.outcome("spooled")
        }
        #expect(isCounted)
        #expect(try Fixtures.count("sluice.gps", settings) == sent)
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        defer { connection.close() }
        let counted = try connection.query(
            "SELECT sum(readings)::int8, count(*) FROM sluice.device_state")
        #expect(counted.int64(0, 0) == sent)
        #expect(counted.int64(0, 1) == 1 + Self.senders)
        #expect(try await server.end() == 0)
    }
}
