import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice analyst`: an operator creates a role, and the analyst uses it.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct AnalystTests {
    /// Runs the printed psql line in a shell, with more arguments.
    private func connect(
        _ printed: String, _ arguments: String, password: String
    ) async throws -> Subprocess.Outcome {
        let line = try #require(
            printed.split(separator: "\n").first { $0.hasPrefix("  psql \"") }, "\(printed)")
        return try await Subprocess.run(
            "/bin/sh", ["-c", "\(line) -X -At \(arguments)"], environment: ["PGPASSWORD": password])
    }

    @Test func `a role is created, listed, used and dropped`() async throws {
        let (environment, _) = try Fixtures.environment("analyst")
        let server = try await RunningServer.start(environment: environment)
        _ = try await Poster.post(server.url + "/ingest", Fixtures.sample)
        let made = try await Subprocess.sluice(
            "analyst", "create", "service_ann", "--valid-until", "90d", environment: environment)
        #expect(made.status == 0, "\(made.err)")
        let password = made.out.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(password.count == 24 && !made.err.contains(password))

        let read = try await connect(
            made.err,
            "-c 'select latitude from gps' -c 'select count(*) from vital' "
                + "-c 'select readings, late_readings, complete_up_to from completeness'",
            password: password)
        #expect(
            read.out == "34.0522\n1\n3|0|2026-02-10 14:56:57+00\n", "\(read.out) \(read.err)")
        let written = try await connect(
            made.err, "-c 'create table mine ()' -c 'select * from sluice.gps'", password: password)
        #expect(written.status == 1 && written.err.contains("read-only"), "\(written.err)")

        let again = try await Subprocess.sluice(
            "analyst", "create", "service_ann", environment: environment)
        #expect(again.status == 64 && again.err.contains("there is a role \"service_ann\""))
        let list = try await Subprocess.sluice("analyst", "list", environment: environment)
        let row = try #require(list.out.split(separator: "\n").first { $0.contains("service_ann") })
        #expect(row.contains("until 2") && row.hasSuffix("0 of 8"))

        let dropped = try await Subprocess.sluice(
            "analyst", "drop", "service_ann", environment: environment)
        #expect(dropped.out == "dropped service_ann\n", "\(dropped.err)")
        let gone = try await connect(made.err, "-c 'select 1'", password: password)
        #expect(gone.status == 2)
        #expect(try await server.end() == 0)
    }

    @Test func `every failure is reported with its remedy`() async throws {
        let (environment, settings) = try Fixtures.environment("analyst")
        let owner = try Connection.open(settings, deadline: .now + .seconds(30))
        try owner.execute("CREATE ROLE service_weak LOGIN")
        defer { _ = try? owner.execute("DROP OWNED BY service_weak; DROP ROLE service_weak") }
        try owner.execute(
            "GRANT USAGE ON SCHEMA sluice TO service_weak; "
                + "GRANT SELECT ON sluice.migration TO service_weak")
        var weak = settings
        weak.user = "service_weak"
        let refused = try await Subprocess.sluice(
            "analyst", "create", "service_bob",
            environment: ["DATABASE_URL": weak.connectionStringWithoutPassword])
        #expect(refused.status == 77, "\(refused.err)")
        #expect(refused.err.contains("ALTER ROLE \"service_weak\" CREATEROLE"), "\(refused.err)")
        let foreign = try await Subprocess.sluice(
            "analyst", "drop", "service_weak", environment: environment)
        #expect(foreign.status == 64 && foreign.err.contains("was not made by"))
        let unknown = try await Subprocess.sluice(
            "analyst", "drop", "service_nobody", environment: environment)
        #expect(unknown.status == 65)
        for name in ["Ann", "a-b", "1a"] {
            let named = try await Subprocess.sluice(
                "analyst", "create", name, environment: environment)
            #expect(named.status == 64 && named.err.contains("lower-case"), "\(named.err)")
        }
        let past = try await Subprocess.sluice(
            "analyst", "create", "service_bob", "--valid-until", "2020-01-01T00:00:00Z",
            environment: environment)
        #expect(past.status == 64 && past.err.contains("a future time"))
    }

    @Test func `on the private cluster it works with and without a server`() async throws {
        let directory = TestCluster.freshDirectory()
        defer { TestCluster.discard(directory) }
        let environment = [
            "SLUICE_DATA_DIR": directory, "SLUICE_READING_AGE_MAX": Fixtures.sampleAge,
            "INGEST_API_KEY": "test-key",
        ]
        let migrated = try await Subprocess.sluice("migrate", environment: environment)
        #expect(migrated.status == 0, "\(migrated.err)")
        let made = try await Subprocess.sluice("analyst", "create", "ann", environment: environment)
        #expect(made.status == 0 && made.err.contains("pandas.read_sql"), "\(made.err)")
        let server = try await RunningServer.start(environment: environment)
        let password = made.out.trimmingCharacters(in: .whitespacesAndNewlines)
        let read = try await connect(made.err, "-c 'select devices from fleet'", password: password)
        #expect(read.out == "0\n", "\(read.err)")
        let list = try await Subprocess.sluice("analyst", "list", environment: environment)
        #expect(list.out.contains("ann   in force  0 of 8"), "\(list.out)")

        // Neither locks nor forged notifications harm the server, and it restores what was changed.
        let tried = try await connect(
            made.err,
            "-c 'set default_transaction_read_only = off' "
                + "-c 'select pg_advisory_lock(1936487779, 1)' -c \"notify sluice_job, 'x'\" "
                + "-c \"notify sluice_notice, 'x'\" -c 'alter role ann reset all'",
            password: password)
        #expect(tried.err.contains("permission denied for function pg_advisory_lock"))
        #expect(tried.out.contains("ALTER ROLE"), "\(tried.err)")
        let isRestored = try await eventually(every: .milliseconds(500)) {
            let shown = try await connect(
                made.err, "-c 'show statement_timeout' -c 'select devices from analytics.fleet'",
                password: password)
            return shown.out == "5min\n0\n"
        }
        #expect(isRestored)
        #expect(try await server.post(Fixtures.sample).status == 200)
        let elsewhere = try await connect(
            made.err.replacing("dbname='sluice'", with: "dbname='postgres'"), "-c 'select 1'",
            password: password)
        #expect(elsewhere.status == 2 && elsewhere.err.contains("pg_hba.conf"), "\(elsewhere.err)")
        #expect(try await server.end() == 0)
    }
}
