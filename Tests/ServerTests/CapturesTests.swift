import Foundation
import Postgres
import TestSupport
import Testing

/// Memory captures from end to end: the real binary, and a client made of other libraries.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: CaptureClient.python != nil, "no Python: deploy/install-dependencies test"))
struct CapturesTests {
    private func isEverythingDone(_ settings: ConnectionSettings) async throws -> Bool {
        try await eventually(every: .milliseconds(50)) {
            try Fixtures.count("sluice.job where due_at < now() + interval '1 minute'", settings)
                == 0
        }
    }

    /// How often a user's captures name a person: once each, if each was applied once.
    private func mentions(of name: String, by user: String, _ settings: ConnectionSettings) throws
        -> Int
    {
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        var parameters = Parameters()
        parameters.append(text: user)
        parameters.append(text: name)
        let rows = try connection.query(
            "select sum(mention_count)::bigint from sluice.contact where user_id = $1 and name = $2",
            parameters)
        return rows.count == 1 && !rows.isNull(0, 0) ? Int(rows.int64(0, 0)) : 0
    }

    @Test(arguments: [
        "samples", "media", "uploads", "lying", "frames", "identity", "evening", "changes",
    ])
    func `a client observes the contract`(scenario: String) async throws {
        let (environment, _) = try Fixtures.environment("captures")
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run(scenario, server.url)
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test func `a notice is delivered once a client has it, not when it was sent`() async throws {
        let (environment, settings) = try Fixtures.environment("tunnel")
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("tunnel", server.url)
        #expect(try await Fixtures.isDelivered(settings))
        #expect(try await server.end() == 0)
        #expect(!server.log.contains("level=error"), "\(server.log)")
    }

    @Test func `an analysis gets the uploaded photo`() async throws {
        let (environment, settings) = try Fixtures.environment("photo")
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("samples", server.url)
        #expect(try await isEverythingDone(settings))
        let seen = "sluice.capture_analysis where analysis->>'imageSummary' ilike '%png%'"
        #expect(try Fixtures.count(seen, settings) >= 1, "\(server.log)")
        #expect(try await server.end() == 0)
    }

    @Test func `notices reach all of a user's sockets on two nodes`() async throws {
        let (environment, _) = try Fixtures.environment("nodes", ["SLUICE_NODE": "first"])
        var other = environment
        other["SLUICE_NODE"] = "second"
        other["SLUICE_DATA_DIR"] = TestCluster.freshDirectory()
        let first = try await RunningServer.start(environment: environment)
        let second = try await RunningServer.start(environment: other)
        try await CaptureClient.run("reading", first.url, second.url)
        #expect(try await first.end() == 0)
        #expect(try await second.end() == 0)
    }

    @Test func `notices for an offline user are delivered to the next socket on any node`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("away", ["SLUICE_NODE": "first"])
        var idle = environment
        idle["SLUICE_JOBS_CONCURRENCY"] = "0"
        let before = try await RunningServer.start(environment: idle)
        try await CaptureClient.run("send", before.url, "kim", "away", "Met Sarah", "20")
        #expect(try await before.end() == 0)
        var other = environment
        other["SLUICE_NODE"] = "second"
        other["SLUICE_DATA_DIR"] = TestCluster.freshDirectory()
        let first = try await RunningServer.start(environment: environment)
        let second = try await RunningServer.start(environment: other)
        #expect(try await isEverythingDone(settings), "\(first.log)")
        try await CaptureClient.run("collect", second.url, "kim", "20")
        for node in [first, second] { #expect(try await node.end() == 0) }
        #expect(try await Fixtures.isDelivered(settings))
    }

    @Test(arguments: [0, 4])
    func `captures that were acknowledged before a kill are analysed once after it`(
        jobsBefore: Int
    ) async throws {
        var (environment, settings) = try Fixtures.environment("kill")
        environment["SLUICE_JOBS_CONCURRENCY"] = String(jobsBefore)
        environment["SLUICE_JOB_LEASE"] = "2s"
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("send", server.url, "kim", "kill", "Met Sarah", "30")
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        #expect(try Fixtures.count("sluice.capture", settings) == 30)
        if jobsBefore == 0 {
            #expect(
                try Fixtures.count("sluice.job where kind = 'capture.analyse'", settings) == 30)
            #expect(try Fixtures.count("sluice.capture_analysis", settings) == 0)
        }
        environment["SLUICE_JOBS_CONCURRENCY"] = "4"
        let again = try await RunningServer.start(environment: environment)
        #expect(try await isEverythingDone(settings), "\(again.log)")
        #expect(try Fixtures.count("sluice.capture_analysis", settings) == 30)
        #expect(try mentions(of: "Sarah", by: "kim", settings) == 30)
        #expect(try await again.end() == 0)
    }

    @Test
    func `captures are accepted while the database is stopped, and analysed when it recovers`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let environment = [
            "DATABASE_URL": cluster.settings.connectionStringWithoutPassword,
            "INGEST_API_KEY": "test-key", "SLUICE_DATA_DIR": directory + "-server",
            "SLUICE_PATIENCE": "5s", "SLUICE_BACKOFF_MAX": "200ms", "SLUICE_APP_KEYS": "app",
        ]
        // A configured key: issued keys are known only with the database.
        let kim = "kim?token=app"
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("send", server.url, kim, "before", "Met Sarah", "3")
        try cluster.stop()
        try await CaptureClient.run("send", server.url, kim, "away", "Met Sarah", "5")
        // Spooled captures also survive a kill.
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        let again = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("send", again.url, kim, "later", "Met Sarah", "2")

        let back = try TestCluster.startServer(dataDirectory: directory)
        let isThere = try await eventually(every: .milliseconds(50)) {
            try Fixtures.count("sluice.capture", back.settings) == 10
        }
        #expect(isThere, "\(again.log)")
        #expect(try await isEverythingDone(back.settings), "\(again.log)")
        #expect(try mentions(of: "Sarah", by: "kim", back.settings) == 10)
        #expect(try await again.end() == 0)
        try back.stop()
    }

    @Test func `captures are accepted while the database is frozen`() async throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let server = try await RunningServer.start(environment: [
            "DATABASE_URL": cluster.settings.connectionStringWithoutPassword,
            "INGEST_API_KEY": "test-key", "SLUICE_DATA_DIR": directory + "-server",
            "SLUICE_PATIENCE": "5s",
        ])
        try await CaptureClient.run("send", server.url, "kim", "before", "Met Sarah")
        let file = directory + "/postgres/data/postmaster.pid"
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let postmaster = String(lines[0])
        let children = try await Subprocess.run("/usr/bin/pgrep", ["-P", postmaster])
        let frozen = ([postmaster] + children.out.split(separator: "\n").map(String.init))
            .compactMap { pid_t($0) }
        for process in frozen { kill(process, SIGSTOP) }
        defer { for process in frozen { kill(process, SIGCONT) } }
        try await CaptureClient.run("send", server.url, "kim", "frozen", "Met Sarah", "5")
        for process in frozen { kill(process, SIGCONT) }
        let isThere = try await eventually(every: .milliseconds(50)) {
            try mentions(of: "Sarah", by: "kim", cluster.settings) == 6
        }
        #expect(isThere, "\(server.log)")
        #expect(try await server.end() == 0)
        try cluster.stop()
    }

    @Test func `an idle socket stays open`() async throws {
        let (environment, _) = try Fixtures.environment(
            "quiet", ["SLUICE_SOCKET_IDLE_TIMEOUT": "1s", "SLUICE_SOCKET_PING_INTERVAL": "1s"])
        let server = try await RunningServer.start(environment: environment)
        try await CaptureClient.run("quiet", server.url, "6")
        #expect(try await server.end() == 0)
    }

    @Test func `a stop closes open sockets with 1001`() async throws {
        let (environment, _) = try Fixtures.environment(
            "stop", ["SLUICE_SHUTDOWN_WITHIN": "10m"])
        let server = try await RunningServer.start(environment: environment)
        let url = server.url
        let client = Task { try await CaptureClient.run("hold", url, "50", "1001") }
        let isOpen = try await eventually(every: .milliseconds(50)) {
            try await server.get("/metrics").body.contains("\nsluice_sockets 50\n")
        }
        #expect(isOpen)
        #expect(try await server.end(SIGTERM) == 0)
        try await client.value
    }

    @Test func `a dead job is listed, and succeeds after a retry`() async throws {
        let (environment, settings) = try Fixtures.environment("jobs", ["SLUICE_NODE": "one"])
        var idle = environment
        idle["SLUICE_JOBS_CONCURRENCY"] = "0"
        let first = try await RunningServer.start(environment: idle)
        try await CaptureClient.run("send", first.url, "kim", "dead", "Met Sarah")
        #expect(try await first.end() == 0)
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        try connection.execute(
            """
            update sluice.job set due_at = 'infinity', dead_at = now(), failed_at = now(),
                attempts = 12, last_error = 'it did not work'
            """)
        connection.close()
        let server = try await RunningServer.start(environment: environment)
        let list = try await Subprocess.sluice("jobs", "list", environment: environment)
        #expect(list.status == 0, "\(list.err)")
        for words in ["dead   capture.analyse", "it did not work", "\n1  dead\n"] {
            #expect(list.out.contains(words), "\(list.out)")
        }
        let retried = try await Subprocess.sluice(
            "jobs", "retry", "--dead", environment: environment)
        #expect(retried.out == "1 due again\n", "\(retried.err)")
        let isDone = try await eventually(every: .milliseconds(50)) {
            try mentions(of: "Sarah", by: "kim", settings) == 1
        }
        #expect(isDone, "\(server.log)")
        #expect(try await server.end() == 0)
    }
}
