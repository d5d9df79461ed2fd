import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice forget` on what a real server has stored.
@Suite(.timeLimit(.minutes(10)), .serialized)
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
            struct Files: Decodable, Equatable {
                let removed: Int
                let bytesRemoved: Int
                let shared: Int
                let leftToSweep: Int
            }
            let tables: [Table]
            let files: Files
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
    func
        `beside a running server one user's data is removed, and stored if it is sent again`()
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
        // There is no terminal for a question here.
        let refused = try await Subprocess.sluice("forget", "alice", environment: environment)
        #expect(refused.status == 64 && refused.err.contains("--yes"))
        #expect(try Fixtures.count("sluice.gps", settings) == 3)

        let (status, done) = try await forget(environment, "--yes", "--vacuum", "alice")
        #expect(status == 0 && done.report.isComplete && done.remains.isEmpty)
        #expect(done.rows == survey.rows && done.report.passes == 2)
        for table in ["gps", "vital", "device", "device_state", "quarantine"] {
            #expect(try Fixtures.count("sluice.\(table)", settings) == 1, "\(table)")
        }
        // One hour of positions and one of measurements.
        #expect(try Fixtures.count("sluice.rollup_due", settings) == 2)
        let again = try await server.post(Self.batch("a1", user: "alice"))
        #expect(try again.number("stored") == 2 && again.number("duplicates") == 0)
        #expect(try Fixtures.count("sluice.device where user_id = 'alice'", settings) == 1)
        let same = try await server.post(Self.batch("b1", user: "bob"))
        #expect(try same.number("duplicates") == 2)
        #expect(try await server.end() == 0)
        let (_, nothing) = try await forget(environment, "--yes", "carol")
        #expect(nothing.rows == 0 && nothing.report.isComplete)
    }

    @Test func `without the archive's directory it says what is left, and nothing else`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("forgetaway")
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Self.batch("a1", user: "alice")).number("stored") == 2)
        #expect(try await server.end() == 0)
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        try connection.execute(
            """
            insert into sluice.archive (kind, day, part, state, rows, file)
            values ('gps', '2020-01-01', 1, 'gone', 1, 'gps_20200101.copy.lz4')
            """)
        connection.close()
        for _ in 0..<2 {
            let (status, report) = try await forget(environment, "--yes", "alice")
            #expect(status == 75 && !report.report.isComplete)
            #expect(
                report.remains == [
                    "perhaps data in archived days: gps_20200101.copy.lz4: not searched, "
                        + "SLUICE_ARCHIVE_DIRECTORY is not set",
                    "1 device of the user, by which a later run finds the rest",
                ])
        }
        let text = try await Subprocess.sluice("forget", "--yes", "alice", environment: environment)
        #expect(
            text.out.hasPrefix("no rows of this user but those of the devices that are left\n"),
            "\(text)")
        #expect(try Fixtures.count("sluice.device", settings) == 1)
        // Without a device there is nothing in the archive.
        let (status, nobody) = try await forget(environment, "--yes", "bob")
        #expect(status == 0 && nobody.report.isComplete && nobody.remains.isEmpty)
    }

    @Test func `a device that named no user is found by its id as it sends it`() async throws {
        let (environment, settings) = try Fixtures.environment("forget")
        let server = try await RunningServer.start(environment: environment)
        let reading = #"{"t":"\#(Fixtures.yesterday)T10:00:00Z","type":"gps","lat":1,"lon":2}"#
        let body = #"{"metadata":{"device_id":"CASE-Phone"},"data":[\#(reading)]}"#
        #expect(try await server.post(body).number("stored") == 1)
        #expect(try await server.post(Self.batch("x", user: "CASE-phone")).number("stored") == 2)
        #expect(try await server.end() == 0)
        let (status, done) = try await forget(environment, "--yes", "CASE-Phone")
        #expect(status == 0 && done.rows("sluice.gps") == 1 && done.report.isComplete)
        let (other, rest) = try await forget(environment, "--yes", "CASE-phone")
        #expect(other == 0 && rest.rows("sluice.gps") == 1)
        #expect(try Fixtures.count("sluice.device", settings) == 0)
    }

    @Test func `a dry run and a run report the same files, including the new ones`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("forget")
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        let directory = try #require(environment["SLUICE_DATA_DIR"]) + "/media/objects"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func name(_ digit: Int) -> String { String(repeating: "\(digit)", count: 64) }
        func file(_ digit: Int) -> String {
            "\(directory)/\(digit)\(digit)/\(name(digit).dropFirst(2))"
        }
        // Two files of hers, a new file of hers, and one that bob has as well.
        for (digit, users) in [
            (1, ["alice"]), (2, ["alice"]), (3, ["alice"]), (4, ["alice", "bob"]),
        ] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(digit)\(digit)", withIntermediateDirectories: true)
            try Data(count: digit).write(to: URL(fileURLWithPath: file(digit)))
            let hours: Double = digit == 3 ? 0 : 10
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600 * hours)],
                ofItemAtPath: file(digit))
            for user in users {
                try connection.query(
                    """
                    select sluice.store_media_file('\(user)/\(digit)', '\(name(digit))',
                        decode('\(name(digit))', 'hex'), \(digit), 'image/jpeg', '\(user)')
                    """)
            }
        }
        let (dryStatus, survey) = try await forget(environment, "--dry-run", "alice")
        #expect(dryStatus == 0 && (1...4).allSatisfy { isThere(file($0)) })
        let (status, done) = try await forget(environment, "--yes", "alice")
        #expect(!isThere(file(1)) && !isThere(file(2)))
        #expect(isThere(file(3)) && isThere(file(4)))
        // The new file is data that is left.
        #expect(status == 75 && done.report.isComplete)
        #expect(done.remains.count == 1 && done.remains[0].hasPrefix("1 file, too new"))
        #expect(
            done.report.files
                == .init(removed: 2, bytesRemoved: 3, shared: 1, leftToSweep: 1))
        #expect(survey.report.files == done.report.files && survey.rows == done.rows)
        // As the server's sweep does.
        try FileManager.default.removeItem(atPath: file(3))
        let (later, nothing) = try await forget(environment, "--yes", "alice")
        #expect(later == 0 && nothing.remains.isEmpty)
    }

    private func isThere(_ file: String) -> Bool { FileManager.default.fileExists(atPath: file) }

    @Test func `it is rejected while the spool holds data of the user, but not of others`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let database = try TestCluster.startServer(dataDirectory: directory)
        defer { TestCluster.discard(directory) }
        var (environment, _) = try Fixtures.environment("forget")
        environment["DATABASE_URL"] = database.settings.connectionStringWithoutPassword
        environment["SLUICE_PATIENCE"] = "5s"
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Self.batch("b1", user: "bob")).status == 200)
        // Until the server knows that there are no standbys, it would spool this batch at its end.
        let isLetGo = try await eventually(every: .milliseconds(50)) {
            try await server.get("/metrics").body.contains("\nsluice_unreplicated_bytes 0\n")
        }
        #expect(isLetGo)
        try database.stop(limit: .zero)
        #expect(try await server.post(Self.batch("a1", user: "alice")).status == 202)
        #expect(try await server.end() == 0)
        let second = try TestCluster.startServer(dataDirectory: directory)
        defer { try? second.stop(limit: .zero) }
        let refused = try await Subprocess.sluice(
            "forget", "--yes", "alice", environment: environment)
        #expect(refused.status == 75 && refused.err.contains("are in the spool"), "\(refused)")
        let (status, other) = try await forget(environment, "--yes", "bob")
        #expect(status == 0 && other.rows("sluice.gps") == 1)
        let replay = try await Subprocess.sluice("spool", "replay", environment: environment)
        #expect(replay.status == 0, "\(replay.err)")
        let (late, alice) = try await forget(environment, "--yes", "alice")
        #expect(late == 0 && alice.rows("sluice.gps") == 1)
    }
}
