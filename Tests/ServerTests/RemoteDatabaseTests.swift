import Foundation
import Postgres
import TestSupport
import Testing

/// `DATABASE_URL` as in a real deployment: TCP, a password, a role that is no superuser.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct RemoteDatabaseTests {
    /// A password that needs escapes in a URL. No part of it may appear anywhere.
    private let password = "p@ss/w0rd:%s3cret"
    private let fragments = ["w0rd", "s3cret"]

    private func url(_ password: String, _ port: Int) -> String {
        let escaped =
            password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgresql://writer:\(escaped)@127.0.0.1:\(port)/telemetry"
    }

    private func expectNoSecret(_ texts: String...) {
        for text in texts {
            for fragment in fragments { #expect(!text.contains(fragment), "\(text)") }
        }
    }

    @Test func `a database over TCP with a password is used, and the password appears nowhere`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let (database, port) = try TestCluster.startListeningServer(
            dataDirectory: directory, password: password)
        defer { TestCluster.discard(directory) }
        let environment = [
            "DATABASE_URL": url(password, port), "INGEST_API_KEY": "test-key",
            "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
            "SLUICE_READING_AGE_MAX": Fixtures.sampleAge, "SLUICE_LOG_LEVEL": "trace",
            "SLUICE_PATIENCE": "5s",
        ]
        let migrated = try await Subprocess.sluice("migrate", environment: environment)
        #expect(migrated.status == 0, "\(migrated.err)")
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Fixtures.sample).body.contains(#""stored":3"#))
        #expect(server.output.contains("telemetry on 127.0.0.1"))
        // psql reads the password from its environment.
        let psql = try await Subprocess.sluice(
            "psql", "-At", "-c", "select current_user, count(*) from analytics.gps",
            environment: environment)
        #expect(psql.out == "writer|1\n", "\(psql.err)")
        let page = try await server.get("/metrics").body
        #expect(MetricsPage(page).outcome("stored") == 3)

        // The sessions are terminated after the password has changed.
        let operations = try Connection.open(database.settings, deadline: .now + .seconds(600))
        try operations.execute("alter role writer password 'another'")
        try operations.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'writer'")
        let isSpooled = try await eventually(every: .milliseconds(50)) {
            try await server.post(Fixtures.sample).status == 202
        }
        #expect(isSpooled, "\(server.log)")
        let refused = try await server.post(Fixtures.sample)
        let isTold = try await eventually(every: .milliseconds(50)) {
            server.log.contains("password authentication failed")
        }
        #expect(isTold, "\(server.log)")
        var elsewhere = environment
        elsewhere["SLUICE_DATA_DIR"] = TestCluster.freshDirectory()
        let second = try await Subprocess.sluice("serve", "--port", "0", environment: elsewhere)
        #expect(second.status == 69)
        #expect(second.err.contains("password authentication failed"), "\(second.err)")
        #expect(try await server.end() == 0)
        expectNoSecret(
            migrated.out, migrated.err, server.output, server.log, page, psql.err, refused.body,
            second.out, second.err)
        operations.close()
        try database.stop()
    }

    @Test(arguments: [
        "postgresql://u:s3cret@[bad/x", "postgresql://u:s3cret@h:port:1/x%zz", "s3cret",
    ])
    func `an unreadable URL is not repeated in the message`(url: String) async throws {
        for verb in ["serve", "migrate", "psql"] {
            let outcome = try await Subprocess.sluice(verb, environment: ["DATABASE_URL": url])
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.err.contains("DATABASE_URL"))
            expectNoSecret(outcome.out, outcome.err)
        }
    }
}
