import Foundation
import Postgres
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct LatestPositionsTests {
    private static let key = ["X-API-Key: \(RoutesServer.key)"]

    /// Each device has an older position too; one device has sent no position.
    private static func store(_ devices: Int, in server: RoutesServer) throws {
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(120))
        defer { connection.close() }
        try connection.execute(
            """
            select sluice.ensure_days('2026-01-20', '2026-01-24');
            insert into sluice.device (device_key, device_id, user_id)
                select n, 'watch-' || n || ' <b>"', 'po' from generate_series(0, \(devices)) n;
            insert into sluice.device_state (device_key, key_check, gps_until, last_seen)
                select n, 0, case n when 0 then '-infinity' else
                    timestamptz '2026-01-22 10:00:00.5Z' + n * interval '1 s' end, now()
                from generate_series(0, \(devices)) n;
            insert into sluice.gps (device_key, t, lat, lon, acc, alt, motion)
                select n, timestamptz '2026-01-22 10:00:00.5Z' + n * interval '1 s'
                    - before * interval '1 day',
                    52.5 + before, -n / 1000.0, case n % 2 when 0 then 5 end,
                    case n % 2 when 0 then 34 end,
                    case n % 2 when 0 then 1500000::bigint << 30 | 1073741823 end
                from generate_series(1, \(devices)) n, generate_series(0, 1) before
            """)
    }

    @Test func `a device of several users is shown once, where it was last`() async throws {
        try await RoutesServer.with { server in
            try Self.store(3, in: server)
            let connection = try Connection.open(
                server.settings, deadline: .now + .seconds(120))
            defer { connection.close() }
            try connection.execute(
                "update sluice.device set device_id = 'shared', user_id = device_key")
            let answer = try await server.ask("GET", "/status/positions", Self.key)
            let positions = try #require(answer.json?["positions"] as? [NSDictionary])
            #expect(positions.map { $0["t"] as? String } == ["2026-01-22T10:00:03Z"])
        }
    }

    @Test func `each device is shown at its last position, the newest first`() async throws {
        try await RoutesServer.with { server in
            // One query's result is served to all callers for a moment. If each call made a query,
            // each answer would differ, because the device moves. If the machine stalls, the result
            // may be too old.
            try Self.store(3, in: server)
            var last = try await server.ask("GET", "/status/positions", Self.key).body
            let isSame = try await eventually {
                let connection = try Connection.open(
                    server.settings, deadline: .now + .seconds(120))
                defer { connection.close() }
                try connection.execute("update sluice.gps set lat = lat + 0.001")
                let next = try await server.ask("GET", "/status/positions", Self.key).body
                defer { last = next }
                return next == last
            }
            #expect(isSame)
        }
        try await RoutesServer.with { server in
            let nothing = try await server.ask("GET", "/status/positions", Self.key)
            #expect((nothing.json?["positions"] as? [Any])?.isEmpty == true)
        }
        try await RoutesServer.with { server in
            try Self.store(3, in: server)
            let answer = try await server.ask("GET", "/status/positions", Self.key)
            #expect(answer.status == 200)
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.number("limit") == LatestPositions.positionsMax)
            let at = try #require(answer.json?["at"] as? String)
            #expect(at.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
            let positions = try #require(answer.json?["positions"] as? [NSDictionary])
            #expect(
                positions.map { $0["device"] as? String }
                    == [3, 2, 1].map {
                        "watch-\($0) <b>\""
                    })
            let newest = try #require(positions.first)
            #expect(newest["t"] as? String == "2026-01-22T10:00:03Z")
            #expect(newest["lat"] as? Double == 52.5)
            #expect(newest["lon"] as? Double == -0.003)
            #expect(["acc", "alt", "speed"].allSatisfy { newest[$0] is NSNull })
            #expect(positions[1]["acc"] as? Double == 5)
            #expect(positions[1]["alt"] as? Double == 34)
            #expect(positions[1]["speed"] as? Double == 1.5)
        }
    }

    @Test func `of a large fleet the newest are shown`() async throws {
        try await RoutesServer.with { server in
            try Self.store(LatestPositions.positionsMax + 20, in: server)
            let answer = try await server.ask("GET", "/status/positions", Self.key)
            let positions = try #require(answer.json?["positions"] as? [NSDictionary])
            #expect(positions.count == LatestPositions.positionsMax)
            #expect(positions.first?["device"] as? String == "watch-520 <b>\"")
            #expect(positions.last?["device"] as? String == "watch-21 <b>\"")
        }
    }

    @Test func `many simultaneous requests make one query`() async throws {
        try await RoutesServer.with { server in
            try Self.store(1, in: server)
            let positions = LatestPositions(database: server.database)
            let answers = try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<32 { tasks.addTask { try await positions.json() } }
                var answers: Set<String> = []
                for try await answer in tasks { answers.insert(answer) }
                return answers
            }
            #expect(answers.count == 1)
        }
    }

    @Test func `a statement that takes too long is cancelled, and reported`() async throws {
        try await RoutesServer.with { server in
            try Self.store(1, in: server)
            let blocker = try Connection.open(server.settings, deadline: .now + .seconds(300))
            defer { blocker.close() }
            try blocker.execute("begin; lock table sluice.gps in access exclusive mode")
            // While the table is locked.
            let answer = try await server.ask("GET", "/status/positions", Self.key)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] != nil)
            try blocker.execute("rollback")
            #expect(try await server.ask("GET", "/status/positions", Self.key).status == 200)
        }
    }
}
