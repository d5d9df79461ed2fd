import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice export` in a shell and with signals.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct ExportTests {
    private let path = TestCluster.freshDirectory()

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// A database with the sample's readings, or with many of one kind.
    private func environment(vitals: Int = 0) async throws -> ([String: String], ConnectionSettings)
    {
        let (environment, settings) = try Fixtures.environment("export")
        guard vitals > 0 else {
            let server = try await RunningServer.start(environment: environment)
            _ = try await Poster.post(server.url + "/ingest", Fixtures.sample)
            #expect(try await server.end() == 0)
            return (environment, settings)
        }
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        defer { connection.close() }
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-02', '2026-02-02');
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (1, 'd', 'u');
            INSERT INTO sluice.vital
                SELECT 1, '2026-02-02Z'::timestamptz + i * interval '1 ms', 1, i
                FROM generate_series(1, \(vitals)) i
            """)
        return (environment, settings)
    }

    @Test func `stored readings are exported to standard output and to files`() async throws {
        let (environment, _) = try await environment()
        let device = "11111111-1111-1111-1111-111111111111"
        let rows = try await Subprocess.sluice("export", "gps", environment: environment)
        #expect(
            rows.out == """
                device_id,user_id,time,latitude,longitude,accuracy_m,altitude_m,vertical_accuracy_m,\
                speed_m_per_s,course_degrees
                \(device),\(device),2026-02-10T14:57:07.000000Z,34.0522,-118.2437,5,,,,

                """, "\(rows.err)")
        let lines = try await Subprocess.sluice(
            "export", "vital", "--format", "ndjson", "--device", device.uppercased(),
            "--from", "2026-02-10", "--to", "2026-02-10", environment: environment)
        #expect(lines.out.contains(#""metric":"heart_rate","unit":"bpm","value":72}"#))
        for day in ["2026-02-09", "2026-02-10T14:57:02Z"] {
            let before = try await Subprocess.sluice(
                "export", "vital", "--format", "ndjson", "--to", day, environment: environment)
            #expect(before.status == 0 && before.out.isEmpty, "\(before.out)")
        }
        let file = try await Subprocess.sluice(
            "export", "tracks", "--output", path, environment: environment)
        #expect(file.status == 0 && file.out.isEmpty)
        #expect(file.err.contains("1 positions, "), "\(file.err)")
        let gpx = try String(contentsOfFile: path, encoding: .utf8)
        unlink(path)
        for names in [["--device", "nope"], ["--user", "nope"]] {
            let slip = try await Subprocess.run(
                Subprocess.sluice, ["export", "gps", "--output", path] + names,
                environment: environment)
            #expect(slip.status == 65 && slip.err.contains("unknown "))
            #expect(slip.err.contains("\"nope\"") && !exists(path), "\(slip.err)")
        }
        #expect(gpx.contains(#"<trkpt lat="34.0522" lon="-118.2437">"#))
        let point = try await Subprocess.sluice(
            "export", "tracks", "--format", "geojson", "--user", device, environment: environment)
        #expect(point.out.contains(#""type":"Point","coordinates":[-118.2437,34.0522]"#))
    }

    @Test func `a wrong call is reported before anything is written`() async throws {
        for (arguments, words) in [
            (["gps", "--format", "gpx"], "csv or ndjson"),
            (["tracks", "--format", "csv"], "gpx or geojson"),
            (["gps", "--from", "yesterday"], "YYYY-MM-DD"),
            (["device", "--from", "2026-02-10"], "has no time"),
            (["tracks", "--gap", "soon"], "such as 10m"), (["steps"], "gps"),
        ] {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, ["export"] + arguments + ["--output", path])
            #expect(outcome.status == 64 && outcome.err.contains(words), "\(outcome.err)")
        }
        let (environment, _) = try Fixtures.environment("export")
        let nowhere = try await Subprocess.sluice(
            "export", "gps", "--output", "/nowhere/gps.csv", environment: environment)
        #expect(nowhere.status == 73 && nowhere.err.contains("No such file"), "\(nowhere.err)")
        let full = try await Subprocess.sluice(
            "export", "gps", "--output", "/dev/full", environment: environment)
        #expect(full.status == 74 && full.err.contains("No space left"), "\(full.err)")
        let old = try TestCluster.shared.freshDatabase(named: "old", migrated: false)
        let older = try await Subprocess.sluice(
            "export", "gps",
            environment: ["DATABASE_URL": old.connectionStringWithoutPassword])
        #expect(older.status == 69 && older.err.contains("sluice migrate"), "\(older.err)")
        #expect(!exists(path) && !exists(path + ".part"))
    }

    @Test func `a reader that closes its pipe ends the export quietly`() async throws {
        let (environment, _) = try await environment(vitals: 300_000)
        let outcome = try await Subprocess.run(
            "/bin/bash",
            ["-c", "'\(Subprocess.sluice)' export vital | head -2; echo ${PIPESTATUS[0]}"],
            environment: environment)
        #expect(outcome.out.hasSuffix("\n141\n"), "\(outcome.out)")
        #expect(outcome.err.isEmpty, "\(outcome.err)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends it, and no file is left`(signal: Int32) async throws {
        let (environment, settings) = try await environment(vitals: 10)
        // Another session blocks the export.
        let blocker = try Connection.open(settings, deadline: .now + .seconds(60))
        try blocker.execute("BEGIN; LOCK TABLE sluice.vital")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Subprocess.sluice)
        process.arguments = ["export", "vital", "--output", path]
        process.environment = Subprocess.bareEnvironment.merging(environment) { $1 }
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let isWaiting = try await eventually(every: .milliseconds(50)) {
            try Fixtures.count(
                """
                pg_locks WHERE NOT granted AND database = (
                    SELECT oid FROM pg_database WHERE datname = current_database())
                """, settings) > 0
        }
        #expect(isWaiting && exists(path + ".part"))
        kill(process.processIdentifier, signal)
        let hasEnded = try await eventually(every: .milliseconds(50)) { !process.isRunning }
        #expect(hasEnded)
        if !hasEnded { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 128 + signal)
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "sluice: stopped; no file was made\n")
        #expect(!exists(path) && !exists(path + ".part"))
    }
}
