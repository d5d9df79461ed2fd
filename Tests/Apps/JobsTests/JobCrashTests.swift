import Instruments
import Postgres
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Jobs

/// The state after a crash or a lost session between any two steps of a run.
@Suite(.timeLimit(.minutes(10)))
struct JobCrashTests {
    let rig: JobRig

    init() throws { rig = try JobRig() }

    /// Leases that expire while the test waits.
    private static var shortLease: JobConfiguration {
        var configuration = JobRig.quick
        configuration.lease = .milliseconds(600)
        configuration.attemptsMax = 10
        return configuration
    }

    private func table(_ node: String, lease: Duration = .milliseconds(300)) -> JobTable {
        JobTable(node: node, kinds: [TestHandler.testKind], lease: lease)
    }

    @Test func `a claim that is not committed has no effect`() throws {
        try rig.enqueue("a")
        let other = try Connection.open(rig.settings, deadline: .now + .seconds(30))
        try other.execute("BEGIN")
        #expect(try table("gone").claim(5, on: other).count == 1)
        // Meanwhile another node does not wait for the claim and does not get the job.
        #expect(try table("here").claim(5, on: rig.connection).isEmpty)
        try rig.connection.execute("SELECT pg_terminate_backend(\(other.backendID), 60000)")
        let jobs = try table("here").claim(5, on: rig.connection)
        #expect(jobs.map(\.attempts) == [1])
    }

    @Test func `the job of a dead process is claimed when its lease expires`() async throws {
        try rig.enqueue("a")
        // The process did nothing after the claim.
        let lost = try #require(
            try table("gone", lease: .seconds(600)).claim(5, on: rig.connection).first)
        #expect(try rig.left.first?.state == .running)
        #expect(try rig.left.first?.owner == "gone")
        try rig.connection.execute("update sluice.job set due_at = now() + interval '300 ms'")
        let handler = TestHandler { job, _ in JobRig.applying(job) }
        try await rig.running(rig.runner([handler])) {
            let isApplied = try await rig.becomes { try rig.applied == ["a"] }
            #expect(isApplied)
        }
        #expect(handler.begun.map(\.attempts) == [2])
        // The process was only slow, and now reports its result.
        let isOurs = try table("gone").finish(lost, on: rig.connection) {
            try JobRig.apply(lost, on: $0)
        }
        #expect(!isOurs)
        #expect(try table("gone").renew([lost], on: rig.connection).isEmpty)
        #expect(try !table("gone").end(lost, .dead(reason: "x"), on: rig.connection))
        #expect(try rig.applied == ["a"])
    }

    @Test func `a job whose runs end the process is dead after its last attempt`() async throws {
        try rig.enqueue("a")
        for _ in 0..<3 {
            #expect(try table("gone").claim(5, on: rig.connection).count == 1)
            try rig.connection.execute("update sluice.job set due_at = now()")
        }
        let handler = TestHandler { job, _ in JobRig.applying(job) }
        try await rig.running(rig.runner([handler])) {
            let isDead = try await rig.becomes { try rig.left.first?.state == .dead }
            #expect(isDead)
        }
        #expect(handler.begun.isEmpty)
        #expect(try rig.applied == [])
        #expect(try rig.left.first?.lastError == "no run of it came to an end")
    }

    /// Terminates the session that stores the result, at the given place, the first two times.
    @Test(arguments: ["before the result", "behind the result", "in the commit"])
    func `a session that ends while a job is finished costs one retry`(place: String)
        async throws
    {
        try rig.connection.execute(
            """
            create table killing (kills int not null);
            insert into killing values (0);
            create sequence kill_number;
            create function kill() returns trigger language plpgsql as $$
            begin
                if nextval('kill_number') <= 2 then
                    perform pg_terminate_backend(pg_backend_pid());
                    perform pg_sleep(1);
                end if;
                return null;
            end $$;
            create constraint trigger kill after insert on applied
                deferrable initially deferred for each row execute function kill();
            """)
        if place != "in the commit" {
            try rig.connection.execute("drop trigger kill on applied")
        }
        let finishes = Mutex(0)
        let handler = TestHandler { job, _ in
            .done { connection in
                let number = finishes.withLock {
                    $0 += 1
                    return $0
                }
                let isKilled = number <= 2 && place != "in the commit"
                if !isKilled || place == "behind the result" {
                    try JobRig.apply(job, on: connection)
                }
                if isKilled {
                    try connection.execute("select pg_terminate_backend(pg_backend_pid())")
                }
            }
        }
        try await rig.running(rig.runner([handler])) {
            try rig.enqueue("a")
            #expect(try await rig.isWorkedOff())
        }
        #expect(try rig.applied == ["a"])
        #expect(finishes.withLock { $0 } == 3)
        // The handler itself did not run again.
        #expect(handler.begun.count == 1)
    }

    @Test func `a commit whose answer was lost is not applied again`() throws {
        try rig.enqueue("a")
        let job = try #require(try table("here").claim(1, on: rig.connection).first)
        #expect(try table("here").finish(job, on: rig.connection) { try JobRig.apply(job, on: $0) })
        #expect(
            try !table("here").finish(job, on: rig.connection) { try JobRig.apply(job, on: $0) })
        #expect(try rig.applied == ["a"])
        // The same if the job was enqueued again meanwhile, so its row stays.
        try rig.enqueue("b")
        let second = try #require(try table("here").claim(1, on: rig.connection).first)
        try rig.enqueue("b")
        for isFirst in [true, false] {
            let isOurs = try table("here").finish(second, on: rig.connection) {
                try JobRig.apply(second, on: $0)
            }
            #expect(isOurs == isFirst)
        }
        #expect(try rig.applied == ["a", "b"])
        #expect(try rig.left.map(\.state) == [.waiting])
    }

    /// The lease is long enough for a machine that stalls between two renewals.
    @Test func `a handler that takes longer than its lease keeps it`() async throws {
        let rig = rig
        let isOver = Atomic(false)
        let handlers = (0..<2).map { _ in
            TestHandler { job, _ in
                let isSo = try await eventually { isOver.load(ordering: .relaxed) }
                #expect(isSo)
                return JobRig.applying(job)
            }
        }
        try rig.enqueue("a")
        var configuration = JobRig.quick
        configuration.lease = .seconds(9)
        configuration.pollInterval = .milliseconds(100)
        try await rig.running(rig.runner([handlers[0]], configuration)) {
            #expect(try await handlers[0].hasBegun(1))
            let end = try rig.connection.query("select due_at::text from sluice.job").string(0, 0)
            try await rig.running(rig.runner([handlers[1]], configuration)) {
                let isPast = try await rig.becomes {
                    try rig.connection.query("select now() > '\(end)'").bool(0, 0)
                }
                #expect(isPast)
                isOver.store(true, ordering: .relaxed)
                let isWorkedOff = try await rig.isWorkedOff()
                #expect(isWorkedOff)
            }
        }
        #expect(try rig.applied == ["a"])
        #expect(handlers[0].begun.count + handlers[1].begun.count == 1)
    }

    @Test func `a handler that outlives its lease is cancelled and its result is dropped`()
        async throws
    {
        let wasCancelled = Mutex(false)
        let registry = Registry()
        let slow = TestHandler { job, _ in
            // The handler is cancelled, but returns a result.
            try? await Task.sleep(for: .seconds(3600))
            wasCancelled.withLock { $0 = Task.isCancelled }
            return JobRig.applying(job)
        }
        try rig.enqueue("a")
        var configuration = Self.shortLease
        configuration.concurrency = 1
        try await rig.running(rig.runner([slow], configuration, registry: registry)) {
            #expect(try await slow.hasBegun(1))
            // As if this node had been cut off for longer than its lease, and another node had
            // the job.
            let other = try Connection.open(rig.settings, deadline: .now + .seconds(60))
            // In one transaction, so no renewal comes between.
            try other.execute("begin; update sluice.job set due_at = now()")
            let job = try #require(
                try table("other", lease: .seconds(600)).claim(1, on: other).first)
            try other.execute("commit")
            #expect(job.attempts == 2)
            #expect(try await rig.becomes { wasCancelled.withLock { $0 } })
            #expect(
                try table("other").finish(job, on: other) { try JobRig.apply(job, on: $0) })
            #expect(
                try await rig.becomes {
                    registry.render().contains(
                        #"sluice_job_runs_total{kind="test.run",ending="lost"} 1"#)
                })
        }
        #expect(try rig.applied == ["a"])
        #expect(try rig.left.isEmpty)
    }

    @Test func `a run that takes too long is cancelled and counts as failed`() async throws {
        let isSeen = Atomic(false)
        let handler = TestHandler { job, _ in
            if !isSeen.load(ordering: .relaxed) { try await Task.sleep(for: .seconds(3600)) }
            return JobRig.applying(job)
        }
        // The runner checks for long runs as often as it renews leases.
        var configuration = Self.shortLease
        configuration.attemptsMax = 1000
        configuration.runMax = .milliseconds(100)
        try rig.enqueue("a")
        try await rig.running(rig.runner([handler], configuration)) {
            let isTold = try await rig.becomes {
                try rig.left.first?.lastError?.hasPrefix("took longer than") ?? false
            }
            #expect(isTold)
            isSeen.store(true, ordering: .relaxed)
            #expect(try await rig.becomes { try rig.applied == ["a"] })
        }
        // More than twice if the machine stalls.
        #expect(handler.begun.count >= 2)
        #expect(handler.begun.map(\.attempts) == Array(1...handler.begun.count))
    }

    @Test func `a stop waits for quick runs`() async throws {
        let handler = TestHandler { job, _ in
            let isSo = try await eventually { Task.isShuttingDownGracefully }
            #expect(isSo)
            try await Task.sleep(for: .milliseconds(50))
            return JobRig.applying(job)
        }
        try rig.enqueue("quick")
        var configuration = JobRig.quick
        configuration.stopMax = .seconds(600)
        try await rig.running(rig.runner([handler], configuration)) {
            let hasBegun = try await handler.hasBegun(1)
            #expect(hasBegun)
        }
        #expect(try rig.applied == ["quick"])
        #expect(try rig.left.isEmpty)
    }

    @Test func `a stop releases slow runs without counting the attempt`() async throws {
        let handler = TestHandler { job, _ in
            try await Task.sleep(for: .seconds(3600))
            return JobRig.applying(job)
        }
        try rig.enqueue("slow")
        try await rig.running(rig.runner([handler])) {
            let hasBegun = try await handler.hasBegun(1)
            #expect(hasBegun)
        }
        #expect(try rig.applied == [])
        let left = try rig.left
        #expect(left.map(\.key) == ["slow"])
        #expect(left.first?.state == .waiting)
        #expect(left.first?.attempts == 0)
        #expect(left.first?.lastError == nil)
    }

    @Test func `runners whose sessions are terminated again and again lose no job and repeat none`()
        async throws
    {
        let handlers = (0..<2).map { _ in
            TestHandler { job, context in
                _ = try await context.database.withConnection {
                    try $0.query("select 1").int32(0, 0)
                }
                return JobRig.applying(job)
            }
        }
        var configuration = Self.shortLease
        configuration.attemptsMax = 1000
        configuration.pollInterval = .milliseconds(200)
        let count = 200
        for number in 0..<count { try rig.enqueue("\(number)") }
        let settings = rig.settings
        let killing = Task {
            let admin = try Connection.open(settings, deadline: .now + .seconds(600))
            var before: Int64 = -1
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(Int.random(in: 1...30)))
                // Waits for progress between two terminations, however slow the machine is.
                let count = try admin.query("select count(*) from applied").int64(0, 0)
                guard count > before else { continue }
                before = count
                try admin.execute(
                    """
                    select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and application_name = 'runner'
                    order by random() limit 1
                    """)
            }
        }
        try await rig.running(rig.runner([handlers[0]], configuration)) {
            try await rig.running(rig.runner([handlers[1]], configuration)) {
                let isWorkedOff = try await rig.becomes { try rig.left.isEmpty }
                #expect(isWorkedOff)
                killing.cancel()
            }
        }
        try await killing.value
        let applied = try rig.applied
        #expect(applied.count == count)
        #expect(Set(applied).count == count)
    }
}
