import Postgres
import TestSupport
import Testing

@testable import Jobs

@Suite(.timeLimit(.minutes(10)))
struct JobLeaseTests {
    let rig: JobRig

    init() throws { rig = try JobRig() }

    private func table(lease: Duration) -> JobTable {
        JobTable(node: "node", kinds: [TestHandler.testKind], lease: lease)
    }

    /// A session that holds the second job locks the first one next, as one that enqueues both
    /// may.
    @Test func `a renewal locks one job at a time, so it can't deadlock`()
        async throws
    {
        try rig.enqueue("a")
        try rig.enqueue("b")
        let jobs = try table(lease: .seconds(10)).claim(2, on: rig.connection)
            .sorted { $0.id < $1.id }
        try #require(jobs.count == 2)
        try rig.connection.execute(
            "begin; select from sluice.job where id = \(jobs[1].id) for update")
        let longer = table(lease: .seconds(600))
        let database = rig.database()
        defer { database.close() }
        async let kept = database.withConnection { try longer.renew(jobs, on: $0) }
        let isWaiting = try await rig.becomes {
            try rig.connection.query(
                """
                select from pg_locks
                where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
                """
            ).count > 0
        }
        #expect(isWaiting)
        try rig.connection.execute(
            "select from sluice.job where id = \(jobs[0].id) for update nowait; commit")
        #expect(try await kept == Set(jobs.map(\.lease)))
        let renewed = try rig.connection.query(
            "select from sluice.job where due_at > now() + interval '300 seconds'")
        #expect(renewed.count == 2)
    }
}
