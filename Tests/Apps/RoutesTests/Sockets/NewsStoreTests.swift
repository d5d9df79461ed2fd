import Foundation
import NIOCore
import NIOPosix
import Notices
import Postgres
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import NewsSockets

@Suite(.timeLimit(.minutes(10))) struct NewsStoreTests {
    private static func insert(
        _ count: Int, of topic: String = "meal", for user: String, _ settings: ConnectionSettings
    ) throws {
        let connection = try Connection.open(settings, deadline: .now + .seconds(120))
        defer { connection.close() }
        try connection.execute(
            """
            insert into sluice.undelivered (topic, user_id, subject, payload)
            select '\(topic)', '\(user)', gen_random_uuid(), 'frame ' || n
            from generate_series(1, \(count)) n
            """)
    }

    private static func count(_ settings: ConnectionSettings) throws -> Int64 {
        let connection = try Connection.open(settings, deadline: .now + .seconds(120))
        defer { connection.close() }
        return try connection.query("select count(*) from sluice.undelivered").int64(0, 0)
    }

    private static func all(_ desk: NewsStore, of user: String) async throws -> [News] {
        var (found, last): ([News], Int64?) = ([], 0)
        while let id = last {
            let page = try await desk.page(
                of: user, topic: "meal", after: id, on: MultiThreadedEventLoopGroup.singleton.next()
            ).get()
            found += page.news
            last = page.next
        }
        return found
    }

    @Test(arguments: [0, 1, 8, 9, 30])
    func `a user's results come in pages, and disappear once delivered`(count: Int) async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "results")
        let database = Database(settings)
        defer { database.close() }
        try Self.insert(count, for: "anna", settings)
        try Self.insert(2, for: "bob", settings)
        try Self.insert(1, of: "memory", for: "anna", settings)
        let desk = NewsStore(database)
        let found = try await Self.all(desk, of: "anna")
        #expect(found.map(\.frame) == (0..<count).map { "frame \($0 + 1)" })
        for id in found.map(\.id) { desk.delivered(id) }
        // This holds even before the database has deleted them.
        #expect(try await Self.all(desk, of: "anna").isEmpty)
        await desk.finish()
        #expect(try await eventually { try Self.count(settings) == 3 })
        #expect(try await Self.all(NewsStore(database), of: "anna").isEmpty)
    }

    @Test func `a result that could not be deleted is deleted later, and not read meanwhile`()
        async throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "results")
        let database = Database(settings)
        defer { database.close() }
        try Self.insert(3, for: "anna", settings)
        let desk = NewsStore(database)
        let ids = try await Self.all(desk, of: "anna").map(\.id)
        func rename(_ from: String, _ to: String) throws {
            let connection = try Connection.open(settings, deadline: .now + .seconds(120))
            defer { connection.close() }
            try connection.execute(
                "alter table sluice.undelivered rename column \(from) to \(to)")
        }
        // The statement fails, and so do others on this table; the session stays open.
        try rename("id", "other")
        for id in ids.prefix(2) { desk.delivered(id) }
        try await Task.sleep(for: .milliseconds(200))
        #expect(try Self.count(settings) == 3)
        try rename("other", "id")
        #expect(try await Self.all(desk, of: "anna").map(\.id) == [ids[2]])
        await desk.finish()
        #expect(try await eventually { try Self.count(settings) == 1 })
    }

    @Test func `a row that can't be deleted keeps no other from being deleted`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "results")
        let database = Database(settings)
        defer { database.close() }
        try Self.insert(30, for: "anna", settings)
        let connection = try Connection.open(settings, deadline: .now + .seconds(120))
        defer { connection.close() }
        try connection.execute(
            """
            create function refuse() returns trigger language plpgsql as $$
            begin raise exception 'no'; end $$;
            create trigger refuse before delete on sluice.undelivered
            for each row when (old.payload = 'frame 17') execute function refuse()
            """)
        let desk = NewsStore(database)
        for id in try await Self.all(desk, of: "anna").map(\.id) { desk.delivered(id) }
        #expect(try await eventually { try Self.count(settings) == 1 })
        // This node does not send it again; another may.
        #expect(try await Self.all(desk, of: "anna").isEmpty)
        #expect(try await Self.all(NewsStore(database), of: "anna").map(\.frame) == ["frame 17"])
        try connection.execute("drop trigger refuse on sluice.undelivered")
        #expect(try await eventually { try Self.count(settings) == 0 })
    }
}
