import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)), .serialized)
struct DatabaseAwayTests {
    @Test func `while the database is away clients are told to come back`() async throws {
        let directory = TestCluster.freshDirectory()
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let server = try await RunningServer.start(environment: [
            "DATABASE_URL": cluster.settings.connectionStringWithoutPassword,
            "INGEST_API_KEY": "test-key",
            "SLUICE_DATA_DIR": directory + "-server",
            "SLUICE_PATIENCE": "500ms",
            "SLUICE_BACKOFF_MAX": "200ms",
            "SLUICE_READING_AGE_MAX": Fixtures.sampleAge,
        ])
        #expect(try await server.post(Fixtures.sample).status == 200)

        try cluster.stop()
        let refused = try await Fixtures.eventually(within: .seconds(20)) {
            try await server.post(Fixtures.sample).status == 503
        }
        #expect(refused)
        let answer = try await server.post(Fixtures.sample)
        #expect(answer.status == 503)
        let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        #expect(try answer.json["detail"] is String)
        // A lane that is idle looks once a second whether its connection still lives.
        let isTold = try await Fixtures.eventually(within: .seconds(5)) {
            let health = try await server.get("/health")
            return health.status == 503
                && health.body == #"{"detail":"Database unavailable"}"#
        }
        #expect(isTold)
        #expect(try await server.get("/").status == 200)
        #expect(try await server.post(Fixtures.sample, key: "wrong").status == 401)

        let again = try TestCluster.startServer(dataDirectory: directory)
        let served = try await Fixtures.eventually(within: .seconds(30)) {
            try await server.post(Fixtures.sample).body.contains(#""duplicates":3"#)
        }
        #expect(served)
        #expect(try await server.get("/health").status == 200)
        #expect(try await server.end() == 0)
        try again.stop()
    }

    @Test func `a start without its database says so and ends`() async throws {
        let outcome = try await Subprocess.sluice(
            "serve", "--port", "0",
            environment: [
                "DATABASE_URL": "postgresql://u:p4ssw0rd@127.0.0.1:1/x",
                "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
            ])
        #expect(outcome.status == 69)
        #expect(outcome.err.contains("database") && !outcome.err.contains("p4ssw0rd"))
        #expect(!outcome.out.contains("is serving"))
    }
}
