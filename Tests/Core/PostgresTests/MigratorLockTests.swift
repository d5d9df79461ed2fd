import Dispatch
import Glibc
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

/// Migration steps whose tables are in use.
@Suite(.timeLimit(.minutes(10)))
struct MigratorLockTests {
    private static let step = Schema.Migration(
        number: 1, name: "widen", sql: [UInt8]("ALTER TABLE public.held ADD b int".utf8))

    /// A database with a table.
    private func database() throws -> ConnectionSettings {
        let settings = try TestCluster.shared.freshDatabase(named: "locks", migrated: false)
        try Connection.open(settings, deadline: .now + .seconds(30))
            .execute("CREATE TABLE held (a int)")
        return settings
    }

    /// A session that has written to the table and not committed.
    private static func holder(_ settings: ConnectionSettings) throws -> Connection {
        let holder = try Connection.open(settings, deadline: .now + .seconds(500))
        try holder.execute("BEGIN; INSERT INTO held VALUES (0)")
        return holder
    }

    @Test func `if a table stays locked, the step is given up and rolled back`() throws {
        let settings = try database()
        let holder = try Self.holder(settings)
        let connection = try Connection.open(settings, deadline: .now + .seconds(500))
        let error = #expect(throws: MigrationError.self) {
            try Migrator(migrations: [Self.step], stepLimit: .seconds(3)).run(on: connection)
        }
        guard case .failed(1, "widen", let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.sqlState == "55P03")
        #expect(connection.isIdle)
        #expect(try connection.query("SELECT to_regclass('sluice.migration') IS NULL").bool(0, 0))
        try holder.rollback()
    }

    /// The holder commits only after the step has waited twice and a writer has written after
    /// each wait. A step that blocked the writer while it waits would therefore never end.
    @Test func `a step waits for locks without blocking writers, and reports whom it waits for`()
        throws
    {
        let settings = try database()
        let isDone = Atomic(false)
        let rowCount = Atomic(0)
        let holder = try Self.holder(settings)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            do {
                let writer = try Connection.open(settings, deadline: .now + .seconds(500))
                while !isDone.load(ordering: .relaxed) {
                    try writer.execute("INSERT INTO held (a) VALUES (1)")
                    rowCount.add(1, ordering: .relaxed)
                    usleep(5000)
                }
            } catch {
                Issue.record(error)
            }
        }
        let connection = try Connection.open(settings, deadline: .now + .seconds(500))
        var waits: [MigrationProgress] = []
        let report = try Migrator(migrations: [Self.step], stepLimit: .seconds(400))
            .run(on: connection) { progress in
                guard case .waits = progress else { return }
                waits.append(progress)
                let before = rowCount.load(ordering: .relaxed)
                let goesOn = eventuallyBlocking {
                    rowCount.load(ordering: .relaxed) > before + 1
                }
                #expect(goesOn)
                if waits.count == 2 { try? holder.commit() }
            }
        isDone.store(true, ordering: .relaxed)
        group.wait()
        #expect(report.applied == ["widen"])
        #expect(waits.count >= 2)
        guard case .waits("widen", 2, let oldest?) = waits.dropFirst().first else {
            Issue.record("\(waits)")
            return
        }
        #expect(oldest.processID == holder.backendID)
        let rows = try connection.query("SELECT count(*) FROM held WHERE b IS NULL")
        #expect(rows.int64(0, 0) == Int64(rowCount.load(ordering: .relaxed) + 1))
    }

    /// The limit applies only to the wait for locks. All locks are taken before the work, because
    /// otherwise the work is rolled back if the last lock is not available.
    @Test func `long work is done once, after all its locks are taken`() throws {
        let settings = try database()
        let holder = try Self.holder(settings)
        let connection = try Connection.open(settings, deadline: .now + .seconds(500))
        let step = Schema.Migration(
            number: 1, name: "fold",
            sql: [UInt8](
                """
                CREATE TABLE public.seen AS SELECT count(*) AS locks FROM pg_locks
                    WHERE relation = 'public.held'::regclass AND mode = 'AccessExclusiveLock';
                SELECT pg_sleep(3)
                """.utf8), locks: ["public.held"])
        var waits = 0
        let report = try Migrator(migrations: [step], stepLimit: .milliseconds(2500))
            .run(on: connection) { progress in
                guard case .waits = progress else { return }
                waits += 1
                try? holder.rollback()
            }
        #expect(report.applied == ["fold"] && waits == 1)
        #expect(try connection.query("SELECT locks::int FROM public.seen").int32(0, 0) == 1)
    }

    /// What the other node has done of its first step, or of a later one.
    @Test(arguments: ["CREATE SCHEMA sluice", "LOCK TABLE sluice.migration IN SHARE MODE"])
    func `a node waits for another node's step and finds it done`(theirs: String) throws {
        let isFirst = theirs.hasPrefix("CREATE")
        let settings = try TestCluster.shared.freshDatabase(named: "locks", migrated: !isFirst)
        let other = try Connection.open(settings, deadline: .now + .seconds(30))
        if !isFirst { try other.execute("TRUNCATE sluice.migration") }
        try other.execute("BEGIN; \(theirs)")
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        let step = Schema.Migration(number: 1, name: "make", sql: [UInt8]("CREATE SCHEMA a".utf8))
        var waits: [MigrationProgress] = []
        let report = try Migrator(migrations: [step]).run(on: connection) { progress in
            guard case .waits = progress else { return }
            waits.append(progress)
            try? other.rollback()
        }
        #expect(report.applied == ["make"])
        // A stranger's advisory locks don't matter.
        try other.execute(
            "SELECT pg_advisory_lock(1936487779, key) FROM generate_series(1, 20) key")
        #expect(try Migrator(migrations: [step]).run(on: connection).applied == [])
        #expect(waits == [.waits(step: nil, attempts: 1, oldest: nil)])
    }
}
