import Foundation
import Postgres
import TestSupport
import Testing

/// Answers when the database can't keep up or rejects a batch.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct RefusalTests {
    @Test func `a full lane rejects new batches and keeps those that it accepted`() async throws {
        let (environment, settings) = try Fixtures.environment(
            "full",
            [
                "SLUICE_LANES": "1", "SLUICE_LANE_BYTES_MAX": "64KiB",
                "SLUICE_LOCK_WAIT_MAX": "1m", "SLUICE_ATTEMPT_MAX": "1m", "SLUICE_PATIENCE": "1m",
            ])
        let server = try await RunningServer.start(environment: environment)
        let day = Fixtures.yesterday
        let batches = (0..<10).map { Fixtures.batch("device \($0)", seconds: 0..<350, day: day) }
        let blocker = try Connection.open(settings, deadline: .now + .seconds(600))
        try blocker.execute("begin; lock table sluice.device_state")
        let posts = batches.map { batch in Task { try await server.post(batch) } }
        let isFull = try await eventually(every: .milliseconds(50)) {
            let page = MetricsPage(try await server.get("/metrics").body)
            let refused = page["sluice_http_requests_total{route=\"/ingest\",status=\"503\"}"]
            return refused > 0
                && refused + page["sluice_readings_in_flight"] / 350 == batches.count
        }
        #expect(isFull, "\(server.log)")
        // A full lane does not make the server unhealthy.
        #expect(try await server.get("/health").status == 200)
        try blocker.execute("rollback")

        var stored = 0
        for (batch, post) in zip(batches, posts) {
            let answer = try await post.value
            if answer.status == 200 {
                stored += try answer.number("stored")
                continue
            }
            #expect(answer.status == 503)
            #expect(try answer.json["detail"] is String)
            let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
            #expect((1...60).contains(seconds))
            // The lane may still be full for a moment.
            let isStored = try await eventually(every: .milliseconds(50)) {
                try await server.post(batch).body.contains(#""stored":350,"#)
            }
            #expect(isStored)
        }
        #expect(stored > 0 && stored < 3500)
        #expect(try Fixtures.count("sluice.gps", settings) == 3500)
        #expect(try await server.end() == 0)
    }

    @Test func `a batch that the database rejects for good is a 500 and none of it is stored`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("stop")
        let server = try await RunningServer.start(environment: environment)
        let connection = try Connection.open(settings, deadline: .now + .seconds(600))
        try connection.execute(
            """
            create function refuse() returns trigger language plpgsql as
                $$ begin raise exception 'a secret of the table' using errcode = '42501'; end $$;
            create trigger refuse before insert on sluice.event
                for each row execute function refuse();
            """)
        let answer = try await server.post(Fixtures.sample)
        #expect(answer.status == 500)
        #expect(try answer.json["detail"] is String)
        #expect(!answer.body.contains("secret"))
        for table in ["gps", "vital", "event", "quarantine"] {
            #expect(try Fixtures.count("sluice.\(table)", settings) == 0, "\(table)")
        }
        #expect(server.log.contains("42501"))
        // Other batches are stored, and the server continues.
        let other = Fixtures.batch("other", seconds: 0..<3, day: Fixtures.yesterday)
        #expect(try await server.post(other).body.contains(#""stored":3"#))
        try connection.execute("drop trigger refuse on sluice.event")
        #expect(try await server.post(Fixtures.sample).body.contains(#""stored":3"#))
        #expect(try await server.end() == 0)
    }
}
