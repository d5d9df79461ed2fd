import Gemini
import Instruments
import Jobs
import Logging
import Postgres
import Readings
import ServiceLifecycle
import TestSupport
import Testing

@testable import Analysis
@testable import Media

/// Whatever the order, duplicates, changes, crashes and failures: in the end the tables are what
/// the captures alone determine.
@Suite(.timeLimit(.minutes(10))) struct AnalysisPropertyTests {
    private static let users = ["anna", "böb", "x/2026-01-01"]

    private static func text(_ generator: inout Dice) -> String? {
        let people = ["John", "Anna", "Sarah and Tom", "my sister Mia", "JOHN", "Dr. Chen", "Mom"]
        let places = ["at the office", "in Boston", "at the coffee shop", "near the river"]
        let ends = [". So happy!", ". I am tired.", " and finished the project.", "."]
        guard Int.random(in: 0..<12, using: &generator) > 0 else { return nil }
        var text = "Met with \(people.randomElement(using: &generator) ?? "")"
        if Bool.random(using: &generator) {
            text += " \(places.randomElement(using: &generator) ?? "")"
        }
        return text + (ends.randomElement(using: &generator) ?? "")
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `crashes, duplicates and any order give what a recompute gives`(_ seed: UInt64)
        async throws
    {
        var generator = Dice(seed: seed)
        let analyser = UnsteadyAnalyser()
        let world = try JobWorld(analyser: analyser)
        let base = TestMoments.time("2026-03-07T06:00:00Z")
        var known: [(id: String, user: String, time: Timestamp, text: String?)] = []
        for step in 0..<250 {
            switch Int.random(in: 0..<100, using: &generator) {
            case ..<25:
                let time = base.adding(.seconds(Int.random(in: 0..<250_000, using: &generator)))
                let user = Self.users.randomElement(using: &generator) ?? ""
                known.append(("c\(step)", user, time, Self.text(&generator)))
                if let new = known.last {
                    try world.capture(new.id, user: new.user, at: new.time, new.text)
                }
            case ..<35:
                guard let old = known.randomElement(using: &generator) else { continue }
                try world.capture(old.id, user: old.user, at: old.time, old.text)
            case ..<42:
                guard !known.isEmpty else { continue }
                let place = Int.random(in: 0..<known.count, using: &generator)
                known[place].text = Self.text(&generator)
                if Bool.random(using: &generator) {
                    known[place].time = base.adding(
                        .seconds(Int.random(in: 0..<250_000, using: &generator)))
                }
                let old = known[place]
                try world.capture(old.id, user: old.user, at: old.time, old.text)
            case ..<46: analyser.fail([.model(.timedOut), .model(.status(500, retryAfter: nil))])
            case ..<50:
                world.advance(.seconds(Int.random(in: 1..<8000, using: &generator)))
            case ..<52:
                let zone = Recompute.zones.randomElement(using: &generator) ?? ""
                var parameters = Parameters()
                parameters.append(text: Self.users.randomElement(using: &generator) ?? "")
                parameters.append(text: zone)
                try world.connection.query(
                    """
                    with changed as (
                        update sluice.app_user set time_zone = $2 where user_id = $1
                        returning user_id)
                    select sluice.enqueue_job('user.rebuild', user_id,
                        json_build_object('user', user_id)::text) from changed
                    """, parameters)
            default:
                let ending = JobWorld.Ending.allCases.randomElement(using: &generator) ?? .whole
                _ = try await world.runOne(ending, using: &generator)
            }
        }
        for _ in 0..<8 {
            world.advance(.seconds(90_000))
            try await world.settle(using: &generator)
        }
        let left = try world.connection.query("select count(*) from sluice.job")
        #expect(left.int64(0, 0) == 0, "seed \(seed)")
        try Recompute(world.connection).check("seed \(seed)")
        print("property: seed \(seed), \(known.count) captures, \(analyser.callCount) analyses")
    }

    @Test func `two analyses of one user that are committed at once both count`() async throws {
        let world = try JobWorld()
        let time = TestMoments.time("2026-01-24T15:10:00Z")
        try world.capture("c1", at: time, "Met Anna.")
        try world.capture("c2", at: time, "Met Anna and Tom.")
        let first = try await world.commit(ofCapture: "c1", user: "anna")
        let second = try await world.commit(ofCapture: "c2", user: "anna")
        try world.connection.execute("begin")
        try first(world.connection)
        let database = world.database
        let other = Task {
            try await database.withConnection { connection in
                try connection.transaction { try second(connection) }
            }
        }
        let isWaiting = try await eventually {
            try world.connection.query(
                """
                select from pg_locks
                where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
                """
            ).count > 0
        }
        #expect(isWaiting)
        try world.connection.commit()
        try await other.value
        let contacts = try world.connection.query(
            "select name, mention_count from sluice.contact order by name")
        #expect(contacts.count == 2)
        #expect(contacts.string(0, 0) == "Anna" && contacts.int32(0, 1) == 2)
        #expect(contacts.string(1, 0) == "Tom" && contacts.int32(1, 1) == 1)
    }

    @Test func `two nodes that share the work give the same, though one is stopped in the middle`()
        async throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "analysis_nodes")
        let connection = try Connection.open(settings, deadline: .now + .seconds(600))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var configuration = AnalysisConfiguration()
        configuration.summaryDelay = .milliseconds(20)
        func node(_ name: String) -> Task<Void, any Error> {
            var limits = JobConfiguration()
            limits.lease = .seconds(2)
            limits.pauseMin = .milliseconds(50)
            limits.stopMax = .zero
            let runner = JobRunner(
                settings: settings, database: Database(settings),
                handlers: AnalysisJobs.handlers(
                    configuration, analyser: LocalAnalyser(), media: { _, _ in nil },
                    inspector: .forTests, clock: AnalysisJobs.systemClock),
                node: name, configuration: limits, registry: Registry(), logger: logger)
            return Task { try await runner.run() }
        }
        let first = node("first")
        let second = node("second")
        var generator = Dice(seed: 77)
        let base = TestMoments.time("2026-03-07T06:00:00Z")
        for number in 0..<300 {
            let time = base.adding(.seconds(Int.random(in: 0..<100_000, using: &generator)))
            var parameters = Parameters()
            let body = StoredJSON.text([
                "id": "c\(number)", "user": Self.users[number % 2], "t": time.secondsText,
                "at": AnalysisJobs.systemClock().secondsText, "text": Self.text(&generator) ?? "",
            ])
            parameters.append(texts: [body, body])
            try connection.query("select sluice.store_captures($1)", parameters)
            if number == 150 { first.cancel() }
        }
        let isDone = try await eventually {
            try connection.query(
                "select count(*) from sluice.job where due_at < now() + interval '30 seconds'"
            ).int64(0, 0) == 0
        }
        second.cancel()
        _ = await first.result
        _ = await second.result
        #expect(isDone)
        #expect(try connection.query("select from sluice.job where dead_at is not null").count == 0)
        // Hours that would be condensed after the end of this test are condensed now.
        try connection.execute("update sluice.app_user set condensed_at = null")
        let world = try JobWorld(on: settings)
        for _ in 0..<3 {
            world.advance(.seconds(90_000))
            try await world.settle(using: &generator)
        }
        try Recompute(connection).check("nodes")
    }
}
