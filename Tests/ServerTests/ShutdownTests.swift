import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct ShutdownTests {
    @Test func `a shutdown under load loses no acknowledged reading`() async throws {
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
        let isBusy = try await eventually(every: .milliseconds(50)) {
            MetricsPage(try await server.get("/metrics").body).outcome("stored") > 500
        }
        #expect(isBusy)
        #expect(try await server.end(SIGTERM) == 0)
        var acknowledged = 0
        for client in clients { acknowledged += await client.value }
        #expect(acknowledged > 0)
        // Acknowledged readings are stored. At most one batch of each client was stored and lost
        // its answer.
        let stored = try Fixtures.count("sluice.gps", settings)
        #expect(stored >= acknowledged && stored <= acknowledged + 8 * 5)
    }

    @Test func `a reader that closes its pipe does not end the server`() async throws {
        let (environment, settings) = try Fixtures.environment("signals")
        let server = try await RunningServer.start(environment: environment)
        server.signal(SIGPIPE)
        #expect(try await server.post(Fixtures.sample).status == 200)
        #expect(try await server.end() == 0)
        #expect(server.log.contains("stopped"))
        #expect(try Fixtures.count("sluice.gps", settings) == 1)
    }

    @Test func `SIGHUP applies new keys and limits, and a faulty file changes nothing`()
        async throws
    {
        var (environment, _) = try Fixtures.environment("reload")
        environment["INGEST_API_KEY"] = nil
        environment["SLUICE_READING_AGE_MAX"] = nil
        let path = NSTemporaryDirectory() + "sluice-\(UUID().uuidString).conf"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ lines: String...) throws {
            try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        environment["SLUICE_CONFIG"] = path
        try write("INGEST_API_KEY=old", "SLUICE_READING_AGE_MAX=1d")
        let server = try await RunningServer.start(environment: environment)
        let before = try await server.post(Fixtures.sample, key: "old")
        #expect(before.body.contains(#""quarantined":3"#), "\(before)")

        try write("INGEST_API_KEY=new", "SLUICE_READING_AGE_MAX=\(Fixtures.sampleAge)")
        server.signal(SIGHUP)
        let isNew = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample, key: "new").body.contains(#""stored":3"#)
        }
        #expect(isNew, "\(server.log)")
        #expect(try await server.post(Fixtures.sample, key: "old").status == 401)

        try write("SLUICE_INGEST_API_KEY=newest", "SLUICE_LANSE=3")
        server.signal(SIGHUP)
        let isTold = try await eventually(every: .milliseconds(50)) {
            server.log.contains("nothing was changed")
        }
        #expect(isTold, "\(server.log)")
        #expect(server.log.contains(":2: there is no such setting; did you mean SLUICE_LANES?"))
        #expect(server.log.contains(#"(it is \"SLUICE_LANSE\")"#), "\(server.log)")
        #expect(try await server.post(Fixtures.sample, key: "new").status == 200)

        // The retention limits the accepted age, as at the start.
        try write(
            "INGEST_API_KEY=last", "SLUICE_READING_AGE_MAX=\(Fixtures.sampleAge)",
            "SLUICE_LANES=3", "SLUICE_RETENTION=30d", "SLUICE_ARCHIVE_DIRECTORY=none")
        server.signal(SIGHUP)
        let isLast = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample, key: "last").body.contains(#""quarantined":3"#)
        }
        #expect(isLast, "\(server.log)")
        let words = [
            #"changed="SLUICE_INGEST_API_KEY, SLUICE_READING_AGE_MAX""#,
            #"wait_for_restart="SLUICE_ARCHIVE_DIRECTORY, SLUICE_LANES, SLUICE_RETENTION""#,
        ]
        for word in words { #expect(server.log.contains(word), "\(server.log)") }

        try FileManager.default.removeItem(atPath: path)
        server.signal(SIGHUP)
        let isMissed = try await eventually(every: .milliseconds(50)) {
            server.log.contains("\(path): the configuration file can't be read")
        }
        #expect(isMissed, "\(server.log)")
        #expect(try await server.end() == 0)
    }

    @Test func `a second signal doesn't wait for the database`() async throws {
        let (environment, settings) = try Fixtures.environment(
            "hurry",
            [
                "SLUICE_LOCK_WAIT_MAX": "10m", "SLUICE_ATTEMPT_MAX": "10m",
                "SLUICE_SHUTDOWN_WITHIN": "10m",
            ])
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Fixtures.sample).status == 200)
        let blocker = try Connection.open(settings, deadline: .now + .seconds(600))
        try blocker.execute("begin; lock table sluice.device_state")
        let waiting = Task { _ = try? await Poster.post(server.url + "/ingest", Fixtures.sample) }
        let isWaiting = try await eventually(every: .milliseconds(50)) {
            try Fixtures.count("pg_locks where not granted", settings) > 0
        }
        #expect(isWaiting)
        server.signal(SIGTERM)
        #expect(try await eventually { server.log.contains("a second signal hurries") })
        // A signal that follows at once is the same one.
        try await Task.sleep(for: .seconds(1))
        #expect(!server.log.contains("stopped"))
        // The table is still locked: a stop that waited for the database would take ten minutes.
        #expect(try await server.end(SIGTERM) == 0)
        try blocker.execute("rollback")
        _ = await waiting.value
    }
}
