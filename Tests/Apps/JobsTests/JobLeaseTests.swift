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
    @Test func `a renewal waits for no locked job, and renews all others`() throws {
        try rig.enqueue("a")
        try rig.enqueue("b")
        let jobs = try table(lease: .seconds(10)).claim(2, on: rig.connection)
            .sorted { $0.id < $1.id }
        try #require(jobs.count == 2)
        let other = try Connection.open(rig.settings, deadline: .now + .seconds(60))
        defer { other.close() }
        try other.execute("begin; select from sluice.job where id = \(jobs[0].id) for update")
        let longer = table(lease: .seconds(600))
        rig.connection.deadline = .now + .seconds(5)
        #expect(try longer.renew(jobs, on: rig.connection) == Set(jobs.map(\.lease)))
        func renewed() throws -> [Int64] {
            let rows = try rig.connection.query(
                "select id from sluice.job where due_at > now() + interval '300 s' order by 1")
            return (0..<rows.count).map { rows.int64($0, 0) }
        }
        #expect(try renewed() == [jobs[1].id])
        try other.execute(
            "select from sluice.job where id = \(jobs[1].id) for update nowait; commit")
        #expect(try longer.renew(jobs, on: rig.connection) == Set(jobs.map(\.lease)))
        #expect(try renewed() == jobs.map(\.id))
        try rig.connection.execute("update sluice.job set lease = -1 where id = \(jobs[0].id)")
        #expect(try longer.renew(jobs, on: rig.connection) == [jobs[1].lease])
    }
}
