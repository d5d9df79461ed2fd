import Dispatch
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DatabaseTests {
    let settings: ConnectionSettings

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "database", migrated: false)
    }

    @Test func `many callers share a few connections`() async throws {
        let database = Database(settings)
        defer { database.close() }
        let backends = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await database.withConnection { connection in
                        try connection.query("SELECT pg_sleep(0.01)")
                        return connection.backendID
                    }
                }
            }
            return try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
        }
        #expect((1...3).contains(backends.count))
    }

    @Test func `a caller that waits too long gets an error`() async throws {
        var limits = Database.Limits()
        limits.connectionsMax = 1
        limits.waitMax = .milliseconds(50)
        let database = Database(settings, limits: limits)
        defer { database.close() }
        let isLent = Atomic(false)
        let isTold = DispatchSemaphore(value: 0)
        async let slow: Void = database.withConnection { _ in
            isLent.store(true, ordering: .relaxed)
            isTold.wait()
        }
        #expect(try await eventually { isLent.load(ordering: .relaxed) })
        let error = await #expect(throws: PostgresError.self) {
            try await database.withConnection { $0.backendID }
        }
        #expect(error?.kind == .poolExhausted)
        isTold.signal()
        try await slow
        #expect(try await database.withConnection { $0.isIdle })
    }

    @Test func `a session that the server terminated is replaced`() async throws {
        var limits = Database.Limits()
        limits.connectionsMax = 1
        let database = Database(settings, limits: limits)
        defer { database.close() }
        let first = try await database.withConnection { $0.backendID }
        let admin = try Connection.open(settings, deadline: .now + .seconds(10))
        try admin.execute("SELECT pg_terminate_backend(\(first), 60000)")
        let second = try await database.withConnection { connection in
            try connection.execute("SELECT 1")
            return connection.backendID
        }
        #expect(first != second)
    }

    @Test func `a transaction left open is rolled back`() async throws {
        var limits = Database.Limits()
        limits.connectionsMax = 1
        let database = Database(settings, limits: limits)
        defer { database.close() }
        _ = try await database.withConnection { connection in
            try connection.execute("CREATE TABLE t ()")
            try connection.execute("BEGIN; DROP TABLE t")
        }
        let isThere = try await database.withConnection { connection in
            try connection.query("SELECT to_regclass('t') IS NOT NULL").bool(0, 0)
        }
        #expect(isThere)
    }

    @Test func `a closed pool rejects callers`() async {
        let database = Database(settings)
        database.close()
        await #expect(throws: PostgresError.self) {
            try await database.withConnection { $0.isIdle }
        }
    }
}
