import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct CommandTests {
    @Test func `without a verb it shows its help`() async throws {
        let outcome = try await Subprocess.sluice(environment: [:])
        #expect(outcome.status == 0)
        for verb in ["serve", "migrate", "psql", "keys", "quarantine", "config", "version"] {
            #expect(outcome.out.contains("\n  \(verb)"))
        }
    }

    @Test func `serve's help names every setting, within eighty columns`() async throws {
        let outcome = try await Subprocess.sluice("serve", "--help", environment: [:])
        #expect(outcome.out.contains("SLUICE_BODY_BYTES_MAX  (16MiB)"))
        #expect(outcome.out.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `all faults of a configuration are reported, with exit code 64`() async throws {
        let outcome = try await Subprocess.sluice(
            "serve", "--port", "http", "--set", "SLUICE_LANES=many", "--set", "NONE=1",
            environment: ["INGEST_API_KEY": "s3cret\u{1}"])
        #expect(outcome.status == 64)
        for key in ["SLUICE_PORT", "SLUICE_LANES", "NONE", "INGEST_API_KEY"] {
            #expect(outcome.err.contains("sluice: \(key): "), "\(outcome.err)")
        }
        #expect(!outcome.err.contains("s3cret"))
        let missing = try await Subprocess.sluice(
            "migrate", "--config", "/nowhere/sluice.conf", environment: [:])
        #expect(missing.status == 64 && missing.err.contains("/nowhere/sluice.conf"))
    }

    @Test func `a setting without a value is rejected`() async throws {
        let outcome = try await Subprocess.sluice(
            "serve", "--port", "0", "--set", "SLUICE_LANES", environment: [:])
        #expect(outcome.status == 64)
        #expect(outcome.err.contains("--set takes KEY=value"), "\(outcome.err)")
    }

    @Test func `an address in use is reported, and nothing is left running`() async throws {
        var (environment, _) = try Fixtures.environment("taken")
        let server = try await RunningServer.start(environment: environment)
        environment["SLUICE_DATA_DIR"] = TestCluster.freshDirectory()
        let port = try #require(server.url.split(separator: ":").last)
        let second = try await Subprocess.sluice(
            "serve", "--port", String(port), environment: environment)
        #expect(second.status == 69)
        let complaint = "can't serve on 127.0.0.1:\(port): another program uses that port; choose"
        #expect(second.err.contains(complaint), "\(second.err)")
        #expect(try await server.end() == 0)
    }

    @Test func `an unusable address is reported with the setting to change`() async throws {
        let (environment, _) = try Fixtures.environment("address")
        for (host, words) in [
            ("203.0.113.9", "no address of this machine"), ("no.such.invalid", "has no address"),
        ] {
            let outcome = try await Subprocess.sluice(
                "serve", "--port", "0", "--host", host, "--allow-open", environment: environment)
            #expect(outcome.status == 69)
            #expect(outcome.err.contains(words) && outcome.err.contains("SLUICE_HOST"))
        }
    }

    @Test func `users' data is not open to everybody unless that is allowed`() async throws {
        let (environment, _) = try Fixtures.environment("open")
        let outcome = try await Subprocess.sluice(
            "serve", "--port", "0", "--host", "0.0.0.0", environment: environment)
        #expect(outcome.status == 64)
        for advice in ["SLUICE_JWT_SECRET", "SLUICE_APP_KEYS", "127.0.0.1", "--allow-open"] {
            #expect(outcome.err.contains(advice), "\(outcome.err)")
        }
    }

    @Test func `a data directory that can't be created is reported with the cause`() async throws {
        let file = TestCluster.freshDirectory()
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        defer { unlink(file) }
        for path in [file, file + "/below"] {
            for verb in ["serve", "migrate"] {
                let outcome = try await Subprocess.sluice(
                    verb, environment: ["SLUICE_DATA_DIR": path])
                #expect(outcome.status == 73)
                #expect(outcome.err.contains("\(file) is a file"), "\(outcome.err)")
                #expect(outcome.err.contains("SLUICE_DATA_DIR"))
            }
        }
    }

    @Test func `an unreachable database is reported with what to check`() async throws {
        var settings = try TestCluster.shared.freshDatabase(named: "there")
        settings.database = "not_there"
        for (url, words) in [
            ("host=127.0.0.1 port=1", "can't connect to the database: connection to server"),
            ("host=127.0.0.1 port=1", "is SLUICE_DATABASE_URL right?"),
            (settings.connectionStringWithoutPassword, "create it first"),
        ] {
            for verb in ["serve", "keys list", "migrate"] {
                let outcome = try await Subprocess.run(
                    Subprocess.sluice, verb.split(separator: " ").map(String.init),
                    environment: [
                        "DATABASE_URL": url, "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
                    ])
                #expect(outcome.status == 69)
                #expect(outcome.err.contains(words), "\(outcome.err)")
            }
        }
    }

    @Test func `the psql command of the banner works where it is pasted, or is not printed`()
        async throws
    {
        let (environment, _) = try Fixtures.environment("look")
        let unsaid = try await RunningServer.start(environment: environment)
        #expect(!unsaid.output.contains(" psql "), "\(unsaid.output)")
        #expect(try await unsaid.end() == 0)
        let path = (environment["SLUICE_DATA_DIR"] ?? "") + ".conf"
        defer { unlink(path) }
        try environment.map { "\($0.key)=\($0.value)\n" }.joined()
            .write(toFile: path, atomically: true, encoding: .utf8)
        let server = try await RunningServer.start(
            environment: [:], arguments: ["--config", path])
        let command = try #require(server.output.firstMatch(of: /look +(.*)/), "\(server.output)")
        let outcome = try await Subprocess.run("/bin/sh", ["-c", String(command.1)])
        #expect(outcome.status == 0 && outcome.out.contains("device_id"), "\(outcome)")
        #expect(try await server.end() == 0)
    }

    @Test func `a missing psql is reported with its package`() async throws {
        let (environment, _) = try Fixtures.environment("psql", ["PATH": "/nowhere"])
        let outcome = try await Subprocess.sluice("psql", environment: environment)
        #expect(outcome.status == 69)
        #expect(outcome.err.contains("apt-get install postgresql-client"), "\(outcome.err)")
    }

    @Test(arguments: [["--help"], ["-h"], ["--data-dir", "/nowhere", "--help"]])
    func `psql's help needs no database`(arguments: [String]) async throws {
        let outcome = try await Subprocess.run(
            Subprocess.sluice, ["psql"] + arguments,
            environment: ["SLUICE_DATA_DIR": TestCluster.freshDirectory(), "PATH": "/nowhere"])
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.err)")
        #expect(outcome.out.contains("USAGE: sluice psql"), "\(outcome.out)")
        #expect(outcome.out.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `migrate reports what it did, and rejects a newer schema`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "migrate", migrated: false)
        let environment = ["DATABASE_URL": settings.connectionStringWithoutPassword]
        let first = try await Subprocess.sluice(
            "migrate", "--partition-days", "7", environment: environment)
        #expect(first.status == 0 && first.out.contains("ran readings"), "\(first.err)")
        let second = try await Subprocess.sluice("migrate", environment: environment)
        #expect(second.status == 0 && !second.out.contains("ran "))
        let made = try await Subprocess.sluice(
            "psql", "-c", "select sluice.ensure_days('2026-02-10', '2026-02-10')",
            environment: environment)
        #expect(made.status == 0, "\(made.err)")
        for (days, status, reason) in [
            ("1", 69, "partitions of 7 days exist"), ("32", 64, "must be 1 to 31"),
        ] as [(String, Int32, String)] {
            let chosen = try await Subprocess.sluice(
                "migrate", "--partition-days", days, environment: environment)
            #expect(chosen.status == status && chosen.err.contains(reason), "\(chosen.err)")
        }
        let newer = try await Subprocess.sluice(
            "psql", "-c", "insert into sluice.migration values (9999, 'future', '')",
            environment: environment)
        #expect(newer.status == 0, "\(newer.err)")
        let third = try await Subprocess.sluice("migrate", environment: environment)
        #expect(third.status == 69 && third.err.contains("newer sluice"), "\(third.err)")
    }
}
