import Dispatch
import Glibc
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

/// Steps that find their tables in use.
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

    /// Somebody who has written to it and not committed.
    private static func holder(_ settings: ConnectionSettings) throws -> Connection {
        let holder = try Connection.open(settings, deadline: .now + .seconds(500))
        try holder.execute("BEGIN; INSERT INTO held VALUES (0)")
        return holder
    }

    @Test func `a table that stays locked is given up, and all of the step with it`() throws {
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

    /// The holder goes only when the step has waited twice and a writer has written behind each
    /// wait: whom the step held up for as long as it is held up itself would wait for ever.
    @Test func `a step waits its turn without holding up writers, and says for whom`() throws {
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

    /// As long as it has to, once it has its locks: they come before the work, or what was done is
    /// rolled back for want of the last one.
    @Test func `work that takes long is done once, behind all its locks`() throws {
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

    @Test func `a node waits for another one's step and finds it done`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "locks", migrated: false)
        let other = try Connection.open(settings, deadline: .now + .seconds(30))
        try other.execute("BEGIN; SELECT pg_advisory_xact_lock(1936487779, 1)")
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        let step = Schema.Migration(number: 1, name: "make", sql: [UInt8]("CREATE SCHEMA a".utf8))
        var waits: [MigrationProgress] = []
        let report = try Migrator(migrations: [step]).run(on: connection) { progress in
            guard case .waits = progress else { return }
            waits.append(progress)
            try? other.rollback()
        }
        #expect(report.applied == ["make"])
        #expect(waits == [.waits(step: nil, attempts: 1, oldest: nil)])
    }
}
