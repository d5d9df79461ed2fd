import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice export --user`, `sluice metric` and `sluice user` on what a real server has stored.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct UserExportTests {
    private let path = TestCluster.freshDirectory()

    private func contents(_ file: String) throws -> String {
        try String(contentsOfFile: path + "/" + file, encoding: .utf8)
    }

    /// A picture of one pixel.
    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    private static func batch(_ device: String, user: String) -> String {
        let time = Fixtures.yesterday + "T10:00:00Z"
        return #"{"metadata":{"device_id":"\#(device)","user_id":"\#(user)"},"data":["#
            + #"{"t":"\#(time)","type":"gps","lat":1,"lon":2},"#
            + #"{"t":"\#(time)","type":"vital","code":30,"val":97},"#
            + #"{"t":"never","type":"gps","lat":1,"lon":2}]}"#
    }

    @Test func `everything of a user is written to a directory`() async throws {
        let (environment, _) = try Fixtures.environment("user_export")
        let server = try await RunningServer.start(environment: environment)
        for (device, user) in [("a1", "alice"), ("b1", "bob")] {
            _ = try await server.post(Self.batch(device, user: user))
        }
        let picture = TestCluster.freshDirectory() + ".png"
        let png = try #require(Data(base64Encoded: Self.png))
        try png.write(to: URL(filePath: picture))
        let mood = try await Subprocess.run(
            "/usr/bin/curl",
            [
                "-sS", "-F", "mood=fine", "-F", "file=@\(picture);type=image/png",
                server.url + "/api/users/user/alice/moods/swift",
            ])
        #expect(mood.out.contains("image/png"), "\(mood.out)\(mood.err)")
        #expect(try await server.end() == 0)

        let done = try await Subprocess.sluice(
            "export", "--user", "alice", path, environment: environment)
        #expect(done.status == 0 && done.out.isEmpty, "\(done.err)")
        #expect(done.err.contains(" rows and 1 files in \(path)"), "\(done.err)")
        #expect(try contents("rows/gps.ndjson").contains(#""device_id":"a1""#))
        #expect(try contents("rows/quarantine.ndjson").contains("never"))
        let index = try contents("index.md")
        #expect(index.contains("| [rows/gps.ndjson](rows/gps.ndjson) | 1 |"), "\(index)")
        #expect(index.contains("- `food`: everybody's foods"))
        let files = try FileManager.default.subpathsOfDirectory(atPath: path + "/files")
        let stored = try #require(files.first { $0.hasSuffix(".png") })
        #expect(try Data(contentsOf: URL(filePath: path + "/files/" + stored)) == png)
        let all = try FileManager.default.subpathsOfDirectory(atPath: path).filter {
            $0.hasSuffix("n") && !$0.hasSuffix(".png") || $0.hasSuffix(".md")
        }
        for file in all { #expect(try !contents(file).contains("bob"), "\(file)") }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o700)

        for (arguments, status, words) in [
            (["--user", "alice", path], 73 as Int32, "empty directory"),
            (["--user", "carol", path + "-c"], 65, "nothing is stored"),
            (["--user", "alice", "--user", "bob", path + "-c"], 64, "one --user"),
            (["--user", "alice", "--from", "2026-02-10", path + "-c"], 64, "no other restriction"),
            (["--user", "alice", "gsp"], 64, "did you mean gps"), ([path], 64, "with --user"),
        ] {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, ["export"] + arguments, environment: environment)
            #expect(outcome.status == status && outcome.err.contains(words), "\(outcome.err)")
        }
        let beside = try FileManager.default.contentsOfDirectory(
            atPath: (path as NSString).deletingLastPathComponent)
        #expect(!beside.contains { $0.contains(".part.") })
    }

    @Test func `what was exported and forgotten comes back by an import, the same`() async throws {
        let (environment, settings) = try Fixtures.environment("user_round")
        let server = try await RunningServer.start(environment: environment)
        let time = Fixtures.yesterday + "T10:00:0"
        _ = try await server.post(
            #"{"metadata":{"device_id":"a1","user_id":"Alice"},"data":["#
                + #"{"t":"\#(time)0Z","type":"gps","lat":1,"lon":2,"acc":5,"alt":400,"speed":1.5,"course":270},"#
                + #"{"t":"\#(time)1.123456Z","type":"gps","lat":1.1,"lon":-2e-7,"speed":0},"#
                + #"{"t":"\#(time)2Z","type":"gps","lat":1.2,"lon":2},"#
                + #"{"t":"\#(time)0Z","type":"vital","code":1,"val":60},"#
                + #"{"t":"\#(time)0Z","type":"vital","metric":"glucose","val":0.1},"#
                + #"{"t":"\#(time)0Z","type":"event","label":"a","val_text":"","metadata":{"x":[1.50]}}]}"#
        )
        #expect(try await server.end() == 0)
        func run(_ words: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(Subprocess.sluice, words, environment: environment)
        }
        let kinds = ["gps", "vital", "event"]
        func exported(to directory: String) async throws -> [[String]] {
            let done = try await run("export", "--user", "Alice", directory)
            #expect(done.status == 0, "\(done.err)")
            return try kinds.map {
                try String(contentsOfFile: "\(directory)/rows/\($0).ndjson", encoding: .utf8)
                    .split(separator: "\n").map(String.init).sorted()
            }
        }
        let before = try await exported(to: path)
        #expect(before.map(\.count) == [3, 2, 1])
        #expect(before[0][0].contains(#""device_id":"a1","user_id":"Alice","#), "\(before[0])")
        #expect(before[1].contains { $0.contains(#""metric":"glucose""#) }, "\(before[1])")
        // A checkpoint of an import that was interrupted.
        let checkpoints = try #require(environment["SLUICE_DATA_DIR"]) + "/imports"
        try FileManager.default.createDirectory(
            atPath: checkpoints, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: URL(filePath: checkpoints + "/0.json"))
        let forgotten = try await run("forget", "--yes", "Alice")
        #expect(forgotten.status == 0, "\(forgotten)")
        #expect(!FileManager.default.fileExists(atPath: checkpoints))
        #expect(try Fixtures.count("sluice.gps", settings) == 0)
        for kind in kinds {
            let done = try await run("import", "\(path)/rows/\(kind).ndjson")
            #expect(done.status == 0 && !done.out.contains("left out"), "\(done)")
        }
        let after = try await exported(to: path + "-again")
        for (was, now) in zip(before, after) { #expect(was == now) }
    }

    @Test func `archived days that may have readings of the user are told, and fail`() async throws
    {
        let (environment, settings) = try Fixtures.environment("user_export_away")
        let server = try await RunningServer.start(environment: environment)
        _ = try await server.post(Self.batch("a1", user: "alice"))
        #expect(try await server.end() == 0)
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        try connection.execute(
            """
            insert into sluice.app_user (user_id) values ('bob');
            insert into sluice.archive (kind, day, part, state, rows, file)
            values ('gps', '2020-01-01', 1, 'gone', 1, 'gps_20200101.copy.lz4'),
                ('vital', '2020-01-03', 1, 'gone', 1, 'vital_20200103.copy.lz4'),
                ('gps', '2020-01-04', 1, 'gone', 0, null)
            """)
        connection.close()
        let done = try await Subprocess.sluice(
            "export", "--user", "alice", path, environment: environment)
        #expect(done.status == 75, "\(done.err)")
        #expect(
            done.err.contains(
                "2 files of archived days from 2020-01-01 to 2020-01-03 may have readings of this "
                    + "user and are not in \(path)"), "\(done.err)")
        #expect(done.err.contains("`sluice archive restore --from 2020-01-01 --to 2020-01-03`"))
        let index = try contents("index.md")
        #expect(index.contains("2 files of archived days") && !index.contains("looked through"))
        // Who has no device has nothing in the archive.
        let bob = try await Subprocess.sluice(
            "export", "--user", "bob", path + "-b", environment: environment)
        #expect(bob.status == 0 && !bob.err.contains("archived"), "\(bob.err)")
        #expect(
            try !String(contentsOfFile: path + "-b/index.md", encoding: .utf8)
                .contains("restore"))
    }

    @Test func `a metric gets a name, and a user a zone`() async throws {
        let (environment, settings) = try Fixtures.environment("metric")
        let server = try await RunningServer.start(environment: environment)
        _ = try await server.post(Self.batch("a1", user: "alice"))
        let named = try await Subprocess.sluice(
            "metric", "name", "30", "spo2", "%", environment: environment)
        #expect(named.status == 0 && named.out == "30 is spo2 in %\n", "\(named.err)")
        let list = try await Subprocess.sluice("metric", "list", environment: environment)
        #expect(list.out.contains(/30 +spo2 +% +1 +1 +\d{4}-/), "\(list.out)")
        let zone = try await Subprocess.sluice(
            "user", "zone", "alice", "Asia/Kolkata", environment: environment)
        #expect(zone.status == 0, "\(zone.err)")
        let shown = try await Subprocess.sluice("user", "zone", "alice", environment: environment)
        #expect(shown.out == "Asia/Kolkata\n")
        let connection = try Connection.open(settings, deadline: .now + .seconds(10))
        defer { connection.close() }
        let rows = try connection.query(
            """
            SELECT metric || ' ' || unit FROM analytics.vital
            UNION ALL SELECT time_zone FROM analytics.device
            """)
        #expect((0..<rows.count).map { rows.string($0, 0) } == ["spo2 %", "Asia/Kolkata"])
        for (arguments, status, words) in [
            (["metric", "name", "31", "spo2", "%"], 65 as Int32, "code 30 has that name"),
            (["metric", "name", "31", "SpO2", "%"], 64, "lower-case"),
            (["metric", "name", "40000", "x", "%"], 64, "40000"),
            (["metric", "name", "-5", "x", "%"], 64, "behind all options: -- -5"),
            (["metric", "name", "-12", "x", "%"], 64, "behind all options: -- -12"),
            (["user", "zone", "alice", "Mars/Base"], 65, "unknown time zone"),
            (["user", "zone", "alice", "GMT+5"], 65, "unknown time zone"),
            (["user", "zone", "carol", "UTC"], 65, "unknown user"),
        ] {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, arguments, environment: environment)
            #expect(outcome.status == status && outcome.err.contains(words), "\(outcome.err)")
        }
        #expect(try await server.end() == 0)
    }
}
