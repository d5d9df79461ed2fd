import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)), .serialized)
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

    @Test func `a wrong configuration is told whole, with exit code 64`() async throws {
        let outcome = try await Subprocess.sluice(
            "serve", "--port", "http", "--set", "SLUICE_LANES=many", "--set", "NONE",
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

    @Test func `an address that is taken is told, and nothing is left running`() async throws {
        let (environment, _) = try Fixtures.environment("taken")
        let server = try await RunningServer.start(environment: environment)
        let port = try #require(server.url.split(separator: ":").last)
        let second = try await Subprocess.sluice(
            "serve", "--port", String(port), environment: environment)
        #expect(second.status == 69)
        #expect(second.err.contains("127.0.0.1:\(port)"), "\(second.err)")
        #expect(try await server.end() == 0)
    }

    @Test func `migrate says what it did, and refuses a newer schema`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "migrate", migrated: false)
        let environment = ["DATABASE_URL": settings.connectionStringWithoutPassword]
        let first = try await Subprocess.sluice("migrate", environment: environment)
        #expect(first.status == 0 && first.out.contains("ran tables"), "\(first.err)")
        let second = try await Subprocess.sluice("migrate", environment: environment)
        #expect(second.status == 0 && !second.out.contains("ran "))
        let newer = try await Subprocess.sluice(
            "psql", "-c", "insert into sluice.migration values (9999, 'future', '')",
            environment: environment)
        #expect(newer.status == 0, "\(newer.err)")
        let third = try await Subprocess.sluice("migrate", environment: environment)
        #expect(third.status == 69 && third.err.contains("newer sluice"), "\(third.err)")
    }
}
