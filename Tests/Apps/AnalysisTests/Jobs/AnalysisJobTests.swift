import AsyncHTTPClient
import Gemini
import GeminiSupport
import NIOHTTP1
import Postgres
import Readings
import TestSupport
import Testing

@testable import Analysis

@Suite(.timeLimit(.minutes(10))) struct AnalysisJobTests {
    private func count(_ world: JobWorld, _ sql: String) throws -> Int64 {
        try world.connection.query("select count(*) from sluice.\(sql)").int64(0, 0)
    }

    @Test func `a capture is analysed, summarized and announced`() async throws {
        let world = try JobWorld()
        var generator = Dice(seed: 1)
        let time = TestMoments.time("2026-01-25T02:10:00Z")
        try world.capture("c1", at: time, "Dinner with John at the diner. So happy!")
        try await world.settle(using: &generator)
        let analysis = try world.connection.query(
            "select analysis::text, analyser, error is null, number from sluice.capture_analysis")
        #expect(analysis.count == 1)
        #expect(analysis.string(0, 1) == "local" && analysis.bool(0, 2))
        let found = try StoredJSON.value(CaptureAnalysis.self, analysis.string(0, 0))
        #expect(found.mentionedNames == ["John"] && found.mood == "happy")
        // The user's day is the 24th, as the frame says; the UTC day is the 25th.
        let later = try world.connection.query(
            "select date::text, content->>'totalCaptures', is_final from sluice.day_summary")
        #expect(later.count == 1)
        #expect(later.string(0, 0) == "2026-01-24" && later.string(0, 1) == "1")
        let notice = try world.connection.query("select user_id, payload from sluice.notice")
        #expect(notice.count == 1)
        #expect(notice.string(0, 0) == "anna")
        let frame = #"{"type":"memory_processed","date":"2026-01-24","captureId":"c1"}"#
        let waiting = try world.connection.query(
            "select id, user_id, topic, payload from sluice.undelivered")
        #expect(waiting.count == 1)
        #expect(notice.string(0, 1) == "\(waiting.int64(0, 0)) -\n" + frame)
        #expect((1...3).map { waiting.string(0, $0) } == ["anna", "memory", frame])
    }

    @Test func `an analysis that can't be read is made again and stops no hour or day`()
        async throws
    {
        let world = try JobWorld()
        var generator = Dice(seed: 4)
        let time = TestMoments.time("2026-01-24T15:10:00Z")
        try world.capture("bad", at: time, "Met Anna.")
        try world.capture("good", at: time.adding(.seconds(60)), "Met Tom.")
        for _ in 0..<3 {
            try await world.settle(using: &generator)
            world.advance(.seconds(3700))
        }
        #expect(try count(world, "hour_summary where captures = 2") == 1)
        try world.connection.execute(
            """
            update sluice.capture_analysis set analysis = '{"themes":7}' where capture_id = 'bad'
            """)
        // In the same hour, which is condensed again.
        try world.capture("third", at: time.adding(.seconds(120)), "Met Eve.")
        for _ in 0..<4 {
            try await world.settle(using: &generator)
            world.advance(.seconds(3700))
        }
        #expect(try count(world, "hour_summary where captures = 3") == 1)
        #expect(try count(world, "day_summary where content->>'totalCaptures' = '3'") == 1)
        #expect(try count(world, "capture_analysis where error is null") == 3)
        #expect(try count(world, "job") == 0)
    }

    @Test(arguments: ["0001-01-01 00:00+00", "9999-12-31 23:59+00", "-infinity", "infinity"])
    func `a stored capture of an impossible time harms no other and leaves no job for ever`(
        time: String
    ) async throws {
        let world = try JobWorld()
        var generator = Dice(seed: 3)
        // One is analysed already, one is not.
        for id in ["old", "new"] {
            let table = id == "old" ? "capture_analysis" : "capture"
            try world.capture(id, at: world.now.adding(.seconds(-7200)), "Met Anna.")
            if id == "old" { try await world.settle(using: &generator) }
            try world.connection.execute(
                "update sluice.\(table) set captured_at = '\(time)' where capture_id = '\(id)'")
        }
        try world.connection.execute(
            """
            insert into sluice.hour_due values ('anna', '\(time)');
            select sluice.enqueue_job('user.rebuild', 'anna', '{"user":"anna"}')
            """)
        try world.capture("good", at: world.now.adding(.seconds(-3600)), "Met Tom.")
        await #expect(throws: CaptureTimeUnusable.self) {
            for _ in 0..<60 { try await world.settle(using: &generator) }
        }
        try await world.settle(using: &generator)
        #expect(try count(world, "notice where payload like '%good%'") == 1)
        let jobs = "job where kind <> 'capture.analyse'"
        #expect(try count(world, "\(jobs) and (due_at > now() + interval '3 days')") == 0)
        #expect(try count(world, "\(jobs) and key ~ '/(0000|0001|9999)-'") == 0)
    }

    @Test func `the same capture again changes nothing, a changed one is counted once`()
        async throws
    {
        let analyser = UnsteadyAnalyser()
        let world = try JobWorld(analyser: analyser)
        var generator = Dice(seed: 2)
        let time = TestMoments.time("2026-01-24T15:10:00Z")
        for _ in 0..<3 {
            try world.capture("c1", at: time, "Met Anna.")
            world.advance(.seconds(1))
            try await world.settle(using: &generator)
        }
        #expect(analyser.callCount == 1)
        #expect(try count(world, "contact where name = 'Anna' and mention_count = 1") == 1)
        try world.capture("c1", at: time, "Met Anna and Tom.")
        world.advance(.seconds(1))
        try await world.settle(using: &generator)
        #expect(try count(world, "contact where mention_count = 1") == 2)
        try world.capture("c1", at: time, "Met Tom.")
        world.advance(.seconds(1))
        try await world.settle(using: &generator)
        #expect(try count(world, "contact where name = 'Tom' and mention_count = 1") == 1)
        #expect(try count(world, "contact") == 1)
        #expect(try count(world, "notice") == 3)
    }

    @Test func `a capture that moves to another day leaves nothing behind`() async throws {
        let world = try JobWorld()
        var generator = Dice(seed: 3)
        try world.capture("c1", at: TestMoments.time("2026-01-20T15:10:00Z"), "Met Anna.")
        world.advance(.seconds(3700))
        try await world.settle(using: &generator)
        #expect(try count(world, "hour_summary where hour = '2026-01-20T15:00:00Z'") == 1)
        try world.capture("c1", at: TestMoments.time("2026-01-22T18:10:00Z"), "Met Anna.")
        world.advance(.seconds(3700))
        try await world.settle(using: &generator)
        world.advance(.seconds(3700))
        try await world.settle(using: &generator)
        #expect(try count(world, "hour_summary") == 1)
        #expect(try count(world, "hour_summary where hour = '2026-01-22T18:00:00Z'") == 1)
        #expect(try count(world, "day_summary") == 1)
        #expect(try count(world, "day_summary where date = '2026-01-22'") == 1)
        try Recompute(world.connection).check("moved")
    }

    @Test func `a failing model leaves a fallback, which is replaced later`() async throws {
        let analyser = UnsteadyAnalyser([
            .model(.status(503, retryAfter: nil)), .model(.timedOut),
            .model(.budgetUsedUp(retryAfter: .seconds(7200))),
        ])
        let world = try JobWorld(analyser: analyser)
        var generator = Dice(seed: 4)
        try world.capture("c1", at: TestMoments.time("2026-01-24T15:10:00Z"), "Met Anna.")
        world.advance(.seconds(1))
        try await world.settle(using: &generator)
        let first = try world.connection.query(
            "select analyser, error, failures, number from sluice.capture_analysis")
        #expect(first.string(0, 0) == "local" && first.string(0, 1) == "http_503")
        #expect(first.int32(0, 2) == 1)
        #expect(try count(world, "notice") == 1)
        #expect(try count(world, "contact where mention_count = 1") == 1)
        // After one minute, then two minutes, then when the budget allows it.
        world.advance(.seconds(61))
        try await world.settle(using: &generator)
        #expect(analyser.callCount == 2)
        world.advance(.seconds(100))
        try await world.settle(using: &generator)
        #expect(analyser.callCount == 2)
        world.advance(.seconds(30))
        try await world.settle(using: &generator)
        #expect(analyser.callCount == 3)
        #expect(try count(world, "notice") == 1)
        world.advance(.seconds(7000))
        try await world.settle(using: &generator)
        #expect(analyser.callCount == 3)
        world.advance(.seconds(300))
        try await world.settle(using: &generator)
        let last = try world.connection.query(
            "select analyser, error is null, failures, number from sluice.capture_analysis")
        #expect(last.string(0, 0) == "unsteady" && last.bool(0, 1))
        #expect(last.int32(0, 2) == 0 && last.int32(0, 3) == 2)
        world.advance(.seconds(1))
        try await world.settle(using: &generator)
        #expect(try count(world, "notice") == 2)
        #expect(try count(world, "contact where mention_count = 1") == 1)
    }

    @Test func `a model that never answers is given up, and the fallback stays`() async throws {
        let analyser = UnsteadyAnalyser(Array(repeating: .model(.timedOut), count: 100))
        var configuration = AnalysisConfiguration()
        configuration.retriesMax = 3
        let world = try JobWorld(configuration, analyser: analyser)
        var generator = Dice(seed: 5)
        try world.capture("c1", at: TestMoments.time("2026-01-24T15:10:00Z"), "Met Anna.")
        for _ in 0..<10 {
            try await world.settle(using: &generator)
            world.advance(.seconds(86_400))
        }
        #expect(analyser.callCount == 4)
        #expect(try count(world, "job where kind = 'capture.analyse'") == 0)
        #expect(try count(world, "capture_analysis where error = 'timed_out'") == 1)
    }

    @Test func `a photo is read from the store, and its job waits while the store is unreachable`()
        async throws
    {
        struct Away: Error {}
        let url = "http://127.0.0.1:8080/media/memories/c1/photo.jpg"
        let world = try JobWorld(media: { path, user in
            guard path == "memories/c1/photo.jpg", user == "anna" else { throw Away() }
            return TestImage.jpeg()
        })
        var generator = Dice(seed: 6)
        let time = TestMoments.time("2026-01-24T15:10:00Z")
        try world.capture("c1", at: time, "Met Anna.", photo: url)
        try world.capture(
            "c2", at: time, "Met Tom.", photo: url.replacing("c1", with: "c2"))
        try await world.settle(using: &generator)
        #expect(
            try count(
                world, "capture_analysis where analysis->>'imageSummary' like 'A JPEG photo of 48%'"
            )
                == 1)
        #expect(try count(world, "job where last_error = 'photo_store_failed'") == 1)
        world.advance(.seconds(30))
        try await world.settle(using: &generator)
        world.advance(.seconds(30))
        try await world.settle(using: &generator)
        #expect(
            try count(world, "capture_analysis where error = 'photo_store_failed'") == 1)
    }

    @Test func `hours are condensed once over, an hour apart, and none is lost`()
        async throws
    {
        let world = try JobWorld()
        var generator = Dice(seed: 8)
        // Captures on three days, all long ago.
        let start = TestMoments.time("2026-01-20T00:30:00Z")
        for number in 0..<60 {
            try world.capture(
                "c\(number)", at: start.adding(.seconds(4000 * number)), "Met Anna \(number).")
        }
        // Captures analysed after the first condensation wait for the next one.
        try await world.settle(using: &generator)
        world.advance(.seconds(3600))
        try await world.settle(using: &generator)
        let hours = try world.connection.query(
            "select count(distinct date_trunc('hour', captured_at)) from sluice.capture")
        #expect(try count(world, "hour_summary") == hours.int64(0, 0))
        #expect(try count(world, "hour_due") == 0)
        // More hours than one commit handles.
        #expect(hours.int64(0, 0) > Int64(CondensationJob.hoursMax))
        try world.connection.execute(
            """
            update sluice.hour_summary set content = '{}';
            select sluice.enqueue_job('user.rebuild', 'anna', '{"user":"anna"}')
            """)
        world.advance(.seconds(3600))
        try await world.settle(using: &generator)
        #expect(try count(world, "hour_due") == 0)
        #expect(try count(world, "hour_summary where content <> '{}'") == hours.int64(0, 0))
        // A late capture makes its hour due again, an hour after the last condensation.
        try world.capture("late", at: start.adding(.seconds(10)), "Met Tom.")
        world.advance(.seconds(10))
        try await world.settle(using: &generator)
        #expect(try count(world, "hour_due") == 1)
        world.advance(.seconds(3600))
        try await world.settle(using: &generator)
        #expect(try count(world, "hour_due") == 0)
        #expect(try count(world, "hour_summary where captures = 2") == 1)
        // An hour in progress waits for its end.
        let running = world.now
        try world.capture("now", at: running, "Met Leo.")
        world.advance(.seconds(2))
        try await world.settle(using: &generator)
        #expect(try count(world, "hour_due") == 1)
        world.advance(.seconds(7300))
        try await world.settle(using: &generator)
        #expect(try count(world, "hour_due") == 0)
        world.advance(.seconds(90_000))
        try await world.settle(using: &generator)
        try Recompute(world.connection).check("hours")
    }

    @Test func `a day is summarized while it runs and closed when it is over`() async throws {
        let world = try JobWorld()
        var generator = Dice(seed: 9)
        try world.capture("c1", at: world.now, "Met Anna.")
        world.advance(.seconds(1))
        try await world.settle(using: &generator)
        let running = try count(world, "day_summary where not is_final")
        let closing = try count(world, "job where key like '%/closing'")
        // Close to midnight the day may have ended in between.
        #expect(running == 1 && closing == 1)
        world.advance(.seconds(90_000))
        try await world.settle(using: &generator)
        #expect(try count(world, "day_summary where is_final") == 1)
        #expect(try count(world, "job where kind = 'user.summarise'") == 0)
    }

    @Test func `another time zone rebuilds all hours and days`() async throws {
        let world = try JobWorld()
        var generator = Dice(seed: 10)
        for number in 0..<20 {
            let time = TestMoments.time("2026-01-20T03:10:00Z").adding(.seconds(5000 * number))
            try world.capture("c\(number)", at: time, "Met Anna at the park.")
        }
        world.advance(.seconds(10))
        try await world.settle(using: &generator)
        try world.connection.execute("update sluice.app_user set time_zone = 'Asia/Kathmandu'")
        #expect(try count(world, "job where kind = 'user.rebuild'") == 1)
        // Without that job the next capture detects the change.
        try world.connection.execute("delete from sluice.job where kind = 'user.rebuild'")
        try world.capture("new", at: TestMoments.time("2026-01-22T03:10:00Z"), "Met Tom at work.")
        for _ in 0..<4 {
            world.advance(.seconds(3700))
            try await world.settle(using: &generator)
        }
        #expect(try count(world, "day_summary where time_zone <> 'Asia/Kathmandu'") == 0)
        #expect(try count(world, "hour_summary where extract(minute from hour) <> 15") == 0)
        try Recompute(world.connection).check("zone")
    }

    @Test func `a model's description of a photo fills the contact's picture`() async throws {
        let server = try await ScriptedServer([
            .json("{}", status: .badRequest),
            .model(GeminiAnalyserTests.good),
        ])
        var gemini = GeminiConfiguration()
        gemini.key = "secret-key"
        gemini.baseURL = server.baseURL
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: GeminiClient.httpConfiguration)
        let world = try JobWorld(
            analyser: GeminiAnalyser(GeminiClient(gemini, client: client)),
            media: { _, _ in TestImage.jpeg() })
        var generator = Dice(seed: 11)
        let url = "http://127.0.0.1:8080/media/memories/c1/photo.jpg"
        try world.capture(
            "c1", at: TestMoments.time("2026-01-24T15:10:00Z"), "Met my boss John.", photo: url)
        try await world.settle(using: &generator)
        #expect(try count(world, "capture_analysis where error = 'http_400'") == 1)
        #expect(try count(world, "contact where best_face_photo_url is null") == 1)
        world.advance(.seconds(61))
        try await world.settle(using: &generator)
        #expect(try count(world, "capture_analysis where analyser = 'gemini'") == 1)
        let contact = try world.connection.query(
            "select name, relationship, best_face_photo_url, mention_count from sluice.contact")
        #expect(contact.count == 1)
        #expect(contact.string(0, 0) == "John" && contact.string(0, 1) == "boss")
        #expect(contact.string(0, 2) == url && contact.int32(0, 3) == 1)
        #expect(server.requests.count == 2)
        try await client.shutdown()
        try await server.close()
    }
}
