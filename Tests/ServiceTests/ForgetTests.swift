import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice forget` on what a real server has stored.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct ForgetTests {
    private static func batch(_ device: String, user: String) -> String {
        let time = Fixtures.yesterday + "T10:00:00Z"
        return #"{"metadata":{"device_id":"\#(device)","user_id":"\#(user)"},"data":["#
            + #"{"t":"\#(time)","type":"gps","lat":1,"lon":2},"#
            + #"{"t":"\#(time)","type":"vital","code":1,"val":60},"#
            + #"{"t":"never","type":"gps","lat":1,"lon":2}]}"#
    }

    private struct Document: Decodable {
        struct Report: Decodable {
            struct Table: Decodable {
                let table: String
                let rows: Int
            }
            let tables: [Table]
            let isComplete: Bool
            let passes: Int
        }
        let report: Report
        let rows: Int
        let remains: [String]

        func rows(_ table: String) -> Int? { report.tables.first { $0.table == table }?.rows }
    }

    private func forget(
        _ environment: [String: String], _ arguments: String...
    ) async throws -> (status: Int32, Document) {
        let outcome = try await Subprocess.run(
            Subprocess.sluice, ["forget", "--json"] + arguments, environment: environment)
        let document = try #require(
            try? JSONDecoder().decode(Document.self, from: Data(outcome.out.utf8)),
            "\(outcome.out)\(outcome.err)")
        return (outcome.status, document)
    }

    @Test
    func `beside a running server one user's data goes, and comes again when it is sent again`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("forget")
        let server = try await RunningServer.start(environment: environment)
        for (device, user) in [("a1", "alice"), ("a2", "alice"), ("b1", "bob")] {
            let answer = try await server.post(Self.batch(device, user: user))
            #expect(try answer.number("stored") == 2 && answer.number("quarantined") == 1)
        }
        let (dryStatus, survey) = try await forget(environment, "--dry-run", "alice")
        #expect(
            dryStatus == 0 && survey.rows("sluice.gps") == 2 && survey.rows("sluice.device") == 2)
        #expect(try Fixtures.count("sluice.gps", settings) == 3)
        // Nobody can be asked here.
        let refused = try await Subprocess.sluice("forget", "alice", environment: environment)
        #expect(refused.status == 64 && refused.err.contains("--yes"))
        #expect(try Fixtures.count("sluice.gps", settings) == 3)

        let (status, done) = try await forget(environment, "--yes", "--vacuum", "alice")
        #expect(status == 0 && done.report.isComplete && done.remains.isEmpty)
        #expect(done.rows == survey.rows && done.report.passes == 2)
        for table in ["gps", "vital", "device", "device_state", "quarantine", "vital_rollup"] {
            #expect(try Fixtures.count("sluice.\(table)", settings) == 1, "\(table)")
        }
        let again = try await server.post(Self.batch("a1", user: "alice"))
        #expect(try again.number("stored") == 2 && again.number("duplicates") == 0)
        #expect(try Fixtures.count("sluice.device where user_id = 'alice'", settings) == 1)
        let same = try await server.post(Self.batch("b1", user: "bob"))
        #expect(try same.number("duplicates") == 2)
        #expect(try await server.end() == 0)
        let (_, nothing) = try await forget(environment, "--yes", "carol")
        #expect(nothing.rows == 0 && nothing.report.isComplete)
    }

    @Test func `it is refused while the spool holds something of the user, not of others`()
        async throws
    {
        let directory = TestCluster.freshDirectory()
        let database = try TestCluster.startServer(dataDirectory: directory)
        defer { TestCluster.discard(directory) }
        var (environment, _) = try Fixtures.environment("forget")
        environment["DATABASE_URL"] = database.settings.connectionStringWithoutPassword
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Self.batch("b1", user: "bob")).status == 200)
        try database.stop(limit: .zero)
        #expect(try await server.post(Self.batch("a1", user: "alice")).status == 202)
        #expect(try await server.end() == 0)
        let second = try TestCluster.startServer(dataDirectory: directory)
        defer { try? second.stop(limit: .zero) }
        let refused = try await Subprocess.sluice(
            "forget", "--yes", "alice", environment: environment)
        #expect(refused.status == 75 && refused.err.contains("wait in the spool"), "\(refused)")
        let (status, other) = try await forget(environment, "--yes", "bob")
        #expect(status == 0 && other.rows("sluice.gps") == 1)
        let replay = try await Subprocess.sluice("spool", "replay", environment: environment)
        #expect(replay.status == 0, "\(replay.err)")
        let (late, alice) = try await forget(environment, "--yes", "alice")
        #expect(late == 0 && alice.rows("sluice.gps") == 1)
    }
}
