import Foundation
import Postgres
import Readings
import Retention
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct ArchiveTests {
    @Test func `rollups are not rebuilt while a day is archived`() async throws {
        let (environment, settings) = try Fixtures.environment("rebuild", [:])
        let server = try await RunningServer.start(environment: environment)
        let reading = #"{"t":"\#(Fixtures.yesterday)T00:00:00Z","type":"vital","code":1,"val":60}"#
        let body = #"{"metadata":{"device_id":"watch"},"data":[\#(reading)]}"#
        #expect(try await server.post(body).number("stored") == 1)
        #expect(try await server.end() == 0)
        let connection = try Connection.open(settings, deadline: .now + .seconds(600))
        defer { connection.close() }
        let session = try #require(try ArchiveSession(connection))
        // A stranger can't take its place.
        let stranger = try connection.openAnother(deadline: .now + .seconds(60))
        defer { stranger.close() }
        try stranger.execute(
            "SELECT pg_advisory_lock(1936487779, key) FROM generate_series(1, 20) key")
        async let rebuilding = Subprocess.sluice("rollups", "rebuild", environment: environment)
        let waits = try await eventually {
            try connection.query(
                "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted "
                    + "AND relation = 'sluice.archive_turn'::regclass "
                    + "AND database = (SELECT oid FROM pg_database "
                    + "WHERE datname = current_database()))"
            ).bool(0, 0)
        }
        #expect(waits)
        session.end()
        let outcome = try await rebuilding
        #expect(outcome.status == 0 && outcome.out == "1 day rebuilt\n", "\(outcome.err)")
    }

    @Test func `a rebuild counts only days with readings, and creates no days`() async throws {
        let (environment, settings) = try Fixtures.environment("rebuild", [:])
        let none = try await Subprocess.sluice("rollups", "rebuild", environment: environment)
        #expect(none.status == 0 && none.out == "there are no readings\n", "\(none.err)")
        let days = [40, 30, 2].map {
            String(Date(timeIntervalSinceNow: -86_400 * $0).formatted(.iso8601).prefix(10))
        }
        let server = try await RunningServer.start(environment: environment)
        for (day, reading) in zip(
            days,
            [#""type":"gps","lat":1,"lon":2"#, #""type":"vital","code":1,"val":60"#]
                + [#""type":"gps","lat":1,"lon":2"#])
        {
            let body =
                #"{"metadata":{"device_id":"watch"},"data":[{"t":"\#(day)T10:00:00Z",\#(reading)}]}"#
            #expect(try await server.post(body).number("stored") == 1)
        }
        #expect(try await server.end() == 0)
        let partitions = try Fixtures.count("sluice.day_partition", settings)
        func rebuild(_ arguments: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["rollups", "rebuild"] + arguments, environment: environment)
        }
        let all = try await rebuild()
        #expect(all.status == 0 && all.out == "3 days rebuilt\n", "\(all.out)\(all.err)")
        #expect(try await rebuild("--to", days[1]).out == "2 days rebuilt\n")
        #expect(try await rebuild("--from", days[2]).out == "1 day rebuilt\n")
        let between = try await rebuild("--from", days[1], "--to", days[1])
        #expect(between.out == "1 day rebuilt\n")
        let before = try await rebuild("--from", "2020-01-01", "--to", "2020-12-31")
        #expect(before.status == 0 && before.out == "0 days rebuilt\n", "\(before.err)")
        #expect(try Fixtures.count("sluice.day_partition", settings) == partitions)
    }

    @Test func `an unreachable bucket is tried once, not for each file`() async throws {
        let (fresh, settings) = try Fixtures.environment("archive_unreachable", [:])
        var environment = fresh
        let connection = try Connection.open(settings, deadline: .now + .seconds(600))
        defer { connection.close() }
        try connection.execute(
            """
            INSERT INTO sluice.archive (kind, day, part, state, rows, file, directory, node, bytes,
                text_bytes, sha256)
            SELECT 'gps', date '2025-01-01' + i, 1, 'gone', 1, 'gps_2025010' || 1 + i || '.csv.zst',
                's3://bucket', 'n', 1, 1, sha256('')
            FROM generate_series(0, 5) i
            """)
        environment["SLUICE_ARCHIVE_DIRECTORY"] = "S3://bucket?endpoint=http://127.0.0.1:1"
        environment["SLUICE_AWS_ACCESS_KEY_ID"] = "test"
        environment["SLUICE_AWS_SECRET_ACCESS_KEY"] = "test"
        for command in [["verify"], ["restore", "--kind", "gps"]] {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, ["archive"] + command, environment: environment)
            #expect(outcome.status == 69, "\(outcome)")
            #expect(outcome.err.split(separator: "no usable answer").count == 2, "\(outcome)")
        }
    }

    @Test func `days are archived to files, listed, verified and restored`() async throws {
        var environment = try Fixtures.environment("archive", [:]).environment
        let directory = TestCluster.freshDirectory() + "-archive"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let old = Date(timeIntervalSinceNow: -40 * 86_400)
        let day = String(old.formatted(.iso8601).prefix(10))
        let reading = #"{"t":"\#(day)T10:00:00.25Z","type":"gps","lat":52.5,"lon":-0.0}"#
        let body = #"{"metadata":{"device_id":"watch"},"data":[\#(reading)]}"#
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(body).number("stored") == 1)
        // A new reading too, because the clock alone is not trusted.
        let new = #"{"t":"\#(Fixtures.yesterday)T00:00:00Z","type":"vital","code":1,"val":60}"#
        let newBody = #"{"metadata":{"device_id":"phone"},"data":[\#(new)]}"#
        #expect(try await server.post(newBody).number("stored") == 1)
        #expect(try await server.end() == 0)

        func run(_ arguments: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["archive"] + arguments, environment: environment)
        }
        #expect(try await run("run").status == 64)
        environment["SLUICE_RETENTION_DAYS"] = "30"
        environment["SLUICE_ARCHIVE_DIRECTORY"] = directory
        let nowhere = try await run("run")
        #expect(nowhere.status == 73 && nowhere.err.contains("there is no such directory"))
        #expect(!FileManager.default.fileExists(atPath: directory))
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let left = try await run("run")
        #expect(left.status == 0, "\(left.err)")
        let kinds = ReadingKind.allCases.count
        let counts =
            "1 archived, 0 dropped without a file, \(kinds - 1) were empty, 1 rows, "
        #expect(left.out.hasPrefix(counts), "\(left)")
        let name = "gps_" + day.replacing("-", with: "") + ".csv.zst"
        #expect(try await run("list").out.contains(name))
        #expect(try await run("verify").out == "1 files are whole, 1 rows\n")

        // A node with this limit quarantines a replay, because it can't be told from a new
        // reading.
        let limited = try await RunningServer.start(environment: environment)
        #expect(try await limited.post(body).number("quarantined") == 1)
        #expect(try await limited.end() == 0)

        // On a node without a limit, or for a spooled batch, the database rejects only that
        // reading.
        environment["SLUICE_RETENTION_DAYS"] = "0"
        let unlimited = try await RunningServer.start(environment: environment)
        let now = #"{"t":"\#(Fixtures.yesterday)T00:00:00Z","type":"vital","code":1,"val":60}"#
        let mixed = try await unlimited.post(
            #"{"metadata":{"device_id":"watch"},"data":[\#(reading),\#(now)]}"#)
        #expect(try mixed.number("quarantined") == 1 && mixed.number("stored") == 1)
        let reasons = try await Subprocess.sluice("quarantine", "list", environment: environment)
        #expect(!reasons.out.contains("refused_by_database"), "\(reasons)")
        #expect(mixed.body.contains(#""unplaced":[{"reason":"t_too_old","expected":"t is"#))
        let alone = try await unlimited.post(body)
        #expect(
            alone.body.contains(#""problems":[{"index":0,"reason":"t_too_old","#), "\(alone)")
        let metrics = try await unlimited.get("/metrics").body
        #expect(
            metrics.contains(
                #"sluice_quarantined_readings_total{reason="t_too_old",found_by="database"} 2"#))
        #expect(try await unlimited.end() == 0)
        environment["SLUICE_RETENTION_DAYS"] = "30"

        #expect(try await run("restore").status == 64)
        let back = try await run("restore", "--day", day)
        #expect(back.out == "\(kinds) restored, 1 rows\n", "\(back.err)")
        #expect(
            try await run("restore", "--day", day).out
                == "0 restored, 0 rows; \(kinds) already restored\n")
        let rows = try await Subprocess.sluice(
            "psql", "-At", "-c", "select time, longitude from analytics.gps",
            environment: environment)
        #expect(rows.out == "\(day) 10:00:00.25+00|0\n", "\(rows.err)")
        #expect(try await run("run").out.hasPrefix("0 archived, 0 dropped"))

        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
        let verified = try await run("verify")
        #expect(verified.status == 65)
        #expect(verified.err.contains("\(name): is not a complete frame"), "\(verified.err)")
        let looked = try await run("restore", "--day", day, "--kind", "gps", "--into", "looked_at")
        #expect(looked.status == 65 && looked.err.contains(name), "\(looked)")
    }

    @Test func `a damaged day is named, and the other days are restored`() async throws {
        var environment = try Fixtures.environment("archive", [:]).environment
        let directory = TestCluster.freshDirectory() + "-archive"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let days = [41, 40].map { ago in
            String(Date(timeIntervalSinceNow: -86_400 * Double(ago)).formatted(.iso8601).prefix(10))
        }
        let times = days.map { "\($0)T10:00:00Z" } + ["\(Fixtures.yesterday)T00:00:00Z"]
        let readings = times.map { #"{"t":"\#($0)","type":"gps","lat":1,"lon":2}"# }
        let server = try await RunningServer.start(environment: environment)
        _ = try await server.post(
            #"{"metadata":{"device_id":"watch"},"data":[\#(readings.joined(separator: ","))]}"#)
        #expect(try await server.end() == 0)
        environment["SLUICE_RETENTION_DAYS"] = "30"
        environment["SLUICE_ARCHIVE_DIRECTORY"] = directory
        func run(_ arguments: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["archive"] + arguments, environment: environment)
        }
        #expect(try await run("run").status == 0)
        let name = "gps_\(days[0].replacing("-", with: "")).csv.zst"
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
        let restored = try await run("restore", "--from", days[0], "--to", days[1], "--kind", "gps")
        #expect(restored.out == "1 restored, 1 rows\n")
        #expect(restored.status == 65 && restored.err.contains(name), "\(restored.err)")
    }
}
