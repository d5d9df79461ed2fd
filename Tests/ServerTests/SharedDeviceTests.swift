import Foundation
import Postgres
import TestSupport
import Testing

/// A watch that passes from Ann to Bob and sends through Xavier's phone, on a real server: whose
/// readings the commands show, export and erase.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct SharedDeviceTests {
    private static func time(_ minute: Int) -> String {
        Fixtures.yesterday + "T10:\(minute < 10 ? "0" : "")\(minute):00Z"
    }

    /// A position, a measurement and a reading that is quarantined.
    private static func batch(
        _ device: String, _ user: String?, minute: Int, isWatch: Bool = false
    ) -> String {
        let owner = user.map { ",\"user_id\":\"\($0)\"" } ?? ""
        let own = isWatch ? #","device_id":"watch""# : ""
        let time = time(minute)
        return #"{"metadata":{"device_id":"\#(device)"\#(owner)},"data":["#
            + #"{"t":"\#(time)","type":"gps","lat":1,"lon":2\#(own)},"#
            + #"{"t":"\#(time)","type":"vital","code":1,"val":60\#(own)},"#
            + #"{"t":"2001-02-03T04:05:0\#(minute % 10)Z","type":"vital","code":1,"val":60\#(own)}]}"#
    }

    private struct World {
        let environment: [String: String]
        let settings: ConnectionSettings

        func run(_ arguments: String...) async throws -> String {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, arguments, environment: environment)
            #expect(outcome.status == 0, "\(arguments): \(outcome.err)")
            return outcome.out
        }

        /// The first column of a query.
        func query(_ sql: String) throws -> [String] {
            let connection = try Connection.open(settings, deadline: .now + .seconds(60))
            defer { connection.close() }
            let rows = try connection.query(sql)
            return (0..<rows.count).map { rows.string($0, 0) }
        }

        /// Device, user and minute of what is stored.
        func rows(_ view: String) throws -> [String] {
            try query(
                """
                SELECT device_id || ' ' || user_id || ' ' || extract(minute FROM time)::int
                FROM analytics.\(view) ORDER BY time, 1
                """)
        }
    }

    private static func world() async throws -> World {
        let (environment, settings) = try Fixtures.environment(
            "shared", ["SLUICE_READING_AGE_MAX": "30d"])
        let server = try await RunningServer.start(environment: environment)
        for body in [
            batch("watch", "ann", minute: 1), batch("watch", "bob", minute: 2),
            batch("watch", "ann", minute: 3), batch("phone", "xavier", minute: 4, isWatch: true),
            batch("phone", nil, minute: 5, isWatch: true),
        ] {
            let answer = try await server.post(body)
            #expect(try answer.number("stored") == 2 && answer.number("quarantined") == 1)
        }
        // What is stored stays with its user.
        let again = try await server.post(
            batch("watch", "bob", minute: 1).replacing("2001-02-03T04:05:01Z", with: time(1)))
        #expect(try again.number("duplicates") == 3)
        #expect(try await server.end() == 0)
        return World(environment: environment, settings: settings)
    }

    @Test func `a user's export has the user's readings of a device, and nobody else's`()
        async throws
    {
        let world = try await Self.world()
        func minutes(_ text: String) -> [Int] {
            text.matches(of: #/T10:(\d\d):00/#).map { Int($0.1)! }
        }
        for (user, own) in [("ann", [1, 3]), ("bob", [2]), ("xavier", [4]), ("phone", [5])] {
            for view in ["gps", "vital"] {
                let rows = try await world.run("export", view, "--user", user)
                #expect(minutes(rows) == own, "\(user) \(view)")
            }
            let tracks = try await world.run("export", "tracks", "--user", user)
            #expect(minutes(tracks) == own, "\(user) tracks")
        }
        #expect(
            try await minutes(world.run("export", "gps", "--device", "watch")) == [1, 2, 3, 4, 5])
        // A track for each user: ann, bob, phone, xavier.
        #expect(try await minutes(world.run("export", "tracks")) == [1, 3, 2, 5, 4])
        #expect(
            try await minutes(
                world.run("export", "gps", "--device", "watch", "--user", "bob", "--user", "ann"))
                == [1, 2, 3])
        let quarantined = try await world.run(
            "export", "quarantine", "--user", "ann", "--format", "ndjson")
        #expect(
            quarantined.split(separator: "\n").map { $0.contains(#""user_id":"ann""#) }
                == [true, true])
    }

    @Test func `each user of a device is shown`() async throws {
        let world = try await Self.world()
        let shown = try await world.run("device", "show", "watch")
        let users = shown.matches(of: #/(?m)^user_id +(\w+)$/#).map { String($0.1) }
        #expect(users == ["bob", "phone", "xavier", "ann"] || Set(users).count == 4, "\(shown)")
        let json = try await world.run("device", "show", "watch", "--json")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let list = try #require(document["users"] as? [[String: Any]])
        #expect(
            Set(list.compactMap { $0["user_id"] as? String }) == ["ann", "bob", "xavier", "phone"])
        #expect(try world.query("SELECT devices || ' ' || users FROM analytics.fleet") == ["2 4"])
    }

    @Test(arguments: ["ann", "bob", "xavier", "phone"])
    func `forgetting a user removes all of the user's readings and no others`(user: String)
        async throws
    {
        let world = try await Self.world()
        func others(_ rows: [String]) -> [String] { rows.filter { !$0.contains(" \(user) ") } }
        func state() throws -> [String] {
            let tables = [
                "gps", "vital", "device", "quarantine", "vital_hour",
            ].map {
                "SELECT '\($0) ' || user_id || ' ' || (to_jsonb(x) - 'body')::text FROM analytics.\($0) x"
            }
            return try world.query(tables.joined(separator: " UNION ALL ") + " ORDER BY 1")
        }
        let before = try state()
        #expect(before.contains { $0.contains(" \(user) ") })
        let counted = try await world.run("forget", user, "--dry-run", "--json")
        let report = try await world.run("forget", user, "--yes", "--json")
        func rows(_ text: String) -> Substring? { text.firstMatch(of: #/"rows":(\d+)\}?$/#)?.1 }
        #expect(rows(counted) == rows(report))
        #expect(try state() == others(before))
        for table in ["device_keys", "device_state"] {
            #expect(
                try world.query(
                    """
                    SELECT '\(table)' FROM sluice.\(table) x,
                        unnest(\(table == "device_keys" ? "keys" : "family")) k
                    WHERE NOT EXISTS (SELECT FROM sluice.device d WHERE d.device_key = k)
                    """) == [])
        }
        // The others' readings are still known, and the user's can come again.
        let server = try await RunningServer.start(environment: world.environment)
        let again = try await server.post(Self.batch("watch", "carl", minute: 1))
        #expect(try again.number("stored") == (user == "ann" ? 2 : 0))
        #expect(try await server.end() == 0)
    }

    @Test func `the last user of a device leaves no key of it`() async throws {
        let world = try await Self.world()
        for user in ["ann", "bob", "xavier", "phone"] {
            _ = try await world.run("forget", user, "--yes")
        }
        for table in ["device_keys", "device_state", "device", "quarantine", "vital"] {
            #expect(try world.query("SELECT '\(table)' FROM sluice.\(table)") == [])
        }
    }

    @Test func `of what two users sent alike, the first sender's reading is requeued`() async throws
    {
        var environment = try Fixtures.environment(
            "alike", ["SLUICE_READING_AGE_MAX": "30d"]
        ).environment
        let server = try await RunningServer.start(environment: environment)
        // So many users that the order of their keys is another one.
        let users = (0..<12).map { "user\($0)" }
        for user in users {
            let reading = #"{"t":"2001-02-03T04:05:06Z","type":"vital","code":1,"val":60}"#
            let answer = try await server.post(
                #"{"metadata":{"device_id":"scale","user_id":"\#(user)"},"data":[\#(reading)]}"#)
            #expect(try answer.number("quarantined") == 1)
        }
        #expect(try await server.end() == 0)
        func run(_ words: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["quarantine"] + words, environment: environment)
        }
        // Equal bytes, and yet each has an id of its own, which shows whose it is.
        let rows = try await run("list").out.matches(of: #/(?m)^([0-9a-f]{12}) .* (user\d+)$/#)
        #expect(
            Set(rows.map(\.1)).count == users.count
                && Set(rows.map(\.2)) == Set(users.map { $0[...] }))
        for row in rows.prefix(2) {
            let shown = try await run("show", String(row.1))
            #expect(
                shown.status == 0 && shown.err.contains(", user \(row.2), t_too_old"), "\(shown)")
        }
        environment["SLUICE_READING_AGE_MAX"] = Fixtures.sampleAge
        #expect(try await run("requeue", "--all").out == "1 stored, 11 were stored already\n")
        let owner = try await Subprocess.sluice(
            "psql", "-At", "-c", "select user_id from analytics.vital", environment: environment)
        #expect(owner.out == "user0\n")
    }

    @Test func `a requeued reading belongs to the user of its batch`() async throws {
        var world = try await Self.world()
        var environment = world.environment
        environment["SLUICE_READING_AGE_MAX"] = Fixtures.sampleAge
        world = World(environment: environment, settings: world.settings)
        let requeued = try await world.run("quarantine", "requeue", "--all")
        #expect(requeued.hasPrefix("5 stored, 0 were stored already"), "\(requeued)")
        #expect(
            try world.query(
                """
                SELECT device_id || ' ' || user_id || ' ' || extract(second FROM time)::int
                FROM analytics.vital WHERE time < '2002-01-01' ORDER BY time
                """)
                == ["watch ann 1", "watch bob 2", "watch ann 3", "watch xavier 4", "watch phone 5"])
    }
}
