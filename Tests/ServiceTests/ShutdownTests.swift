import Foundation
import Postgres
import Testing

@Suite(.timeLimit(.minutes(2)), .serialized)
struct ShutdownTests {
    @Test func `a shutdown under load loses nothing that was answered`() async throws {
        let (environment, settings) = try Fixtures.environment("shutdown")
        let server = try await RunningServer.start(environment: environment)
        let day = Fixtures.yesterday
        let clients = (0..<8).map { number in
            Task {
                var acknowledged = 0
                for round in 0..<10_000 {
                    let body = Fixtures.batch(
                        "device \(number)", seconds: round * 5..<round * 5 + 5, day: day)
                    let reply = try? await Poster.post(server.url + "/ingest", body)
                    guard let (status, answer) = reply, status == 200 else { break }
                    acknowledged += answer["stored"] as? Int ?? 0
                }
                return acknowledged
            }
        }
        try await Task.sleep(for: .seconds(1))
        #expect(try await server.end(SIGTERM) == 0)
        var acknowledged = 0
        for client in clients { acknowledged += await client.value }
        #expect(acknowledged > 0)
        // Answered is stored; what was stored and lost its answer on the way is at most one batch a
        // client.
        let stored = try Fixtures.count("sluice.gps", settings)
        #expect(stored >= acknowledged && stored <= acknowledged + 8 * 5)
    }

    @Test func `a reader that goes away ends nothing, a terminal that goes away does`() async throws
    {
        let (environment, settings) = try Fixtures.environment("signals")
        let server = try await RunningServer.start(environment: environment)
        server.signal(SIGPIPE)
        #expect(try await server.post(Fixtures.sample).status == 200)
        #expect(try await server.end(SIGHUP) == 0)
        #expect(server.log.contains("stopped"))
        #expect(try Fixtures.count("sluice.gps", settings) == 1)
    }

    @Test func `a second signal doesn't wait for the database`() async throws {
        let (environment, settings) = try Fixtures.environment(
            "hurry", ["SLUICE_LOCK_WAIT_MAX": "1m", "SLUICE_ATTEMPT_MAX": "1m"])
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Fixtures.sample).status == 200)
        let blocker = try Connection.open(settings, deadline: .now + .seconds(60))
        try blocker.execute("begin; lock table sluice.device_state")
        let waiting = Task { _ = try? await Poster.post(server.url + "/ingest", Fixtures.sample) }
        let isWaiting = try await Fixtures.eventually(within: .seconds(10)) {
            try Fixtures.count("pg_locks where not granted", settings) > 0
        }
        #expect(isWaiting)
        server.signal(SIGTERM)
        try await Task.sleep(for: .seconds(1))
        #expect(!server.log.contains("stopped"))
        let clock = ContinuousClock.now
        #expect(try await server.end(SIGTERM) == 0)
        #expect(ContinuousClock.now - clock < .seconds(10))
        try blocker.execute("rollback")
        _ = await waiting.value
    }
}
