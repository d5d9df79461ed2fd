import Foundation
import Postgres
import TestSupport
import Testing

/// A primary with an asynchronous standby: no acknowledged reading is lost with the primary.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct FailoverTests {
    private func serve(
        _ servers: [TestServer], _ changes: [String: String] = [:]
    ) async throws -> RunningServer {
        try await RunningServer.start(
            environment: [
                "DATABASE_URL": TestServer.url(servers),
                "INGEST_API_KEY": "test-key",
                "SLUICE_DATA_DIR": TestCluster.freshDirectory() + "-server",
                "SLUICE_PATIENCE": "6s",
                "SLUICE_BACKOFF_MAX": "200ms",
                "SLUICE_READING_AGE_MAX": Fixtures.sampleAge,
            ].merging(changes) { $1 })
    }

    /// A batch of three readings on a day of its own.
    private func sample(_ day: Int) -> String {
        Fixtures.sample.replacing("2026-02-10", with: "2026-02-\(10 + day)")
    }

    private func eventually(
        _ what: String, _ test: () async throws -> Bool
    ) async throws {
        #expect(try await TestSupport.eventually(every: .milliseconds(50), test), "\(what)")
    }

    private func rows(_ server: TestServer) throws -> Int {
        Int(
            try server.ask(
                """
                SELECT (SELECT count(*) FROM sluice.gps) + (SELECT count(*) FROM sluice.vital)
                    + (SELECT count(*) FROM sluice.event)
                """)) ?? -1
    }

    @Test
    func `readings that a promoted standby lacks are returned; the old primary gets nothing`()
        async throws
    {
        let old = try TestServer()
        let standby = try old.makeStandby()
        let server = try await serve([old, standby])
        #expect(try await server.post(sample(0)).status == 200)
        try await eventually("the standby has it, and nothing is kept for it any more") {
            let page = try await server.get("/metrics").body
            return try rows(standby) == 3 && page.contains("\nsluice_standbys 1\n")
                && page.contains("\nsluice_unreplicated_bytes 0\n")
        }

        #expect(old.signal(SIGSTOP, to: "walsender") == 1)
        for day in 1...3 { #expect(try await server.post(sample(day)).status == 200) }
        let mood = try await server.send(
            form: ["mood": "calm"], to: "/api/users/user/ann/moods/swift")
        #expect(mood.status == 200 && mood.headers["x-durability"] == "committed")
        #expect(try rows(standby) == 3)
        old.kill9()
        try standby.promote()

        try await eventually("all of it is on the server that took over") {
            try rows(standby) == 12 && standby.ask("SELECT count(*) FROM sluice.mood") == "1"
        }
        // A device that did not get the answer sends again.
        #expect(try await server.post(sample(2)).body.contains(#""duplicates":3"#))
        let page = try await server.get("/metrics").body
        #expect(page.contains("\nsluice_unreplicated_returned_total 10\n"), "\(page)")

        // The old primary returns unfenced, is first in the URL, and accepts writes.
        try old.start()
        try standby.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = 'telemetry' AND pid <> pg_backend_pid()
            """)
        #expect([200, 202].contains(try await server.post(sample(4)).status))
        try await eventually("it goes where the rest is") { try rows(standby) == 15 }
        #expect(try rows(old) == 12)
        #expect(try await server.end() == 0)
    }

    /// What a standby lacks may be the code of a metric's name. It then gives a code of its own, and
    /// the lost one may be that of another metric there.
    @Test func `returned readings keep their metric where its name has another code`() async throws
    {
        func batch(_ metric: String, _ value: Int) -> String {
            let reading =
                #"{"t":"2026-02-10T10:00:0\#(value)Z","type":"vital","metric":"\#(metric)","val":\#(value)}"#
            return #"{"metadata":{"device_id":"w"},"data":[\#(reading)]}"#
        }
        func code(_ metric: String, _ server: TestServer) throws -> String {
            try server.ask("SELECT code FROM sluice.metric_name WHERE name = '\(metric)'")
        }
        let values = """
            SELECT string_agg(m.name || ' ' || v.val, ',' ORDER BY v.val)
            FROM sluice.vital v LEFT JOIN sluice.metric_name m USING (code)
            """
        let old = try TestServer()
        let standby = try old.makeStandby()
        let server = try await serve([old, standby])
        #expect(try await server.post(batch("known", 1)).status == 200)
        try await eventually("the standby has it, and nothing is kept for it any more") {
            let page = try await server.get("/metrics").body
            return try rows(standby) == 1 && page.contains("\nsluice_standbys 1\n")
                && page.contains("\nsluice_unreplicated_bytes 0\n")
        }

        #expect(old.signal(SIGSTOP, to: "walsender") == 1)
        #expect(try await server.post(batch("lost", 2)).status == 200)
        #expect(try await server.post(batch("known", 3)).status == 200)
        let lost = try code("lost", old)
        // Until another metric has the code, nothing is returned.
        kill(server.processID, SIGSTOP)
        old.kill9()
        try standby.promote()
        let given = try standby.ask(
            "SELECT metric_code FROM sluice.name_metrics(array['other'], 'another', 1000)")
        #expect(given == lost)
        kill(server.processID, SIGCONT)

        try await eventually("all readings are on the server that took over") {
            try rows(standby) == 3
        }
        #expect(try standby.ask(values) == "known 1,lost 2,known 3")
        #expect(try code("lost", standby) != lost)
        // A device that did not get the answer sends again.
        #expect(try await server.post(batch("lost", 2)).body.contains(#""duplicates":1"#))
        #expect(try await server.end() == 0)
    }

    @Test func `a stopped process leaves readings that no standby has to the next process`()
        async throws
    {
        let old = try TestServer()
        let standby = try old.makeStandby()
        var server = try await serve([old, standby])
        try await eventually("the standby is seen") {
            try await server.get("/metrics").body.contains("\nsluice_standbys 1\n")
        }
        #expect(old.signal(SIGSTOP, to: "walsender") == 1)
        #expect(try await server.post(sample(0)).status == 200)
        #expect(try await server.end() == 0)
        old.kill9()
        try standby.promote()
        #expect(try rows(standby) == 0)
        server = try await serve(
            [old, standby], ["SLUICE_DATA_DIR": server.dataDirectory])
        try await eventually("the next one brings it back") { try rows(standby) == 3 }
        #expect(try await server.end() == 0)
    }

    /// With this durability no reading is lost even if server and primary fail together.
    @Test func `where answers wait for standbys, a 200 means that they have the readings`()
        async throws
    {
        let old = try TestServer()
        let standby = try old.makeStandby()
        var server = try await serve([old, standby], ["SLUICE_DURABILITY": "replicated"])
        let first = try await server.post(sample(0))
        #expect(first.status == 200 && first.headers["x-durability"] == "replicated")
        try await eventually("it can be read there") { try rows(standby) == 3 }

        #expect(old.signal(SIGSTOP, to: "walsender") == 1)
        let second = try await server.post(sample(1))
        #expect(second.status == 202 && second.headers["x-durability"] == "spooled")
        // The readings are committed on the primary. They also stay in the spool, since no
        // standby has them.
        #expect(try rows(old) == 6 && rows(standby) == 3)
        let isKept = try await server.get("/metrics").body
            .contains("\nsluice_spool_waiting_readings 3\n")
        #expect(isKept)
        old.signal(SIGCONT, to: "walsender")
        try await eventually("the standby has it, and the spool is empty") {
            try await server.hasReplayed()
        }
        // They are on its disk; a query may see them a moment later.
        try await eventually("it can be read") { try rows(standby) == 6 }

        #expect(old.signal(SIGSTOP, to: "walsender") == 1)
        #expect(try await server.post(sample(2)).status == 202)
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        old.kill9()
        try standby.promote()
        server = try await serve([old, standby], ["SLUICE_DATA_DIR": server.dataDirectory])
        try await eventually("it is brought back from disk") { try rows(standby) == 9 }
        #expect(try await server.end() == 0)
    }

    @Test func `without standbys nothing is replicated until there is one`() async throws {
        let primary = try TestServer()
        let server = try await serve([primary], ["SLUICE_DURABILITY": "replicated"])
        #expect(try await server.post(sample(0)).status == 202)
        let standby = try primary.makeStandby()
        try await eventually("the spool is empty once there is one") {
            try await server.hasReplayed()
        }
        try await eventually("it can be read there") { try rows(standby) == 3 }
        #expect(try await server.post(sample(1)).status == 200)
        #expect(try await server.end() == 0)
    }
}
