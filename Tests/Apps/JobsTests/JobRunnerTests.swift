import Instruments
import Jobs
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JobRunnerTests {
    let rig: JobRig

    init() throws { rig = try JobRig() }

    @Test func `a job runs soon after it is enqueued, and leaves only its result`() async throws {
        let handler = TestHandler { job, _ in JobRig.applying(job) }
        try await rig.running(rig.runner([handler])) {
            // The first job is found by the first look, the second by its notification: the poll
            // interval is an hour.
            try rig.enqueue("a", payload: #"{"x":1}"#)
            #expect(try await rig.becomes { try rig.applied == ["a"] })
            try rig.enqueue("b")
            #expect(try await rig.becomes { try rig.applied == ["a", "b"] })
            #expect(try await rig.isWorkedOff())
        }
        #expect(try rig.left.isEmpty)
        #expect(handler.begun.map(\.payload) == [#"{"x":1}"#, "{}"])
        #expect(handler.begun.map(\.attempts) == [1, 1])
    }

    @Test func `a job for later runs when it is due`() async throws {
        let handler = TestHandler { job, _ in JobRig.applying(job) }
        try await rig.running(rig.runner([handler])) {
            let began = ContinuousClock.now
            try rig.enqueue("later", after: .seconds(3600))
            try rig.enqueue("late", after: .milliseconds(400))
            try rig.enqueue("soon")
            #expect(try await rig.becomes { try rig.applied == ["late", "soon"] })
            #expect(.now - began >= .milliseconds(400))
        }
        #expect(try rig.left.map(\.key) == ["later"])
    }

    @Test func `a pending job that is enqueued again stays one job, with the later payload`()
        async throws
    {
        try rig.enqueue("a", payload: "1", after: .seconds(3600))
        try rig.enqueue("a", payload: "2")
        try rig.enqueue("a", payload: "3", after: .seconds(3600))
        let handler = TestHandler { job, _ in JobRig.applying(job) }
        try await rig.running(rig.runner([handler])) {
            let isWorkedOff = try await rig.isWorkedOff()
            #expect(isWorkedOff)
        }
        #expect(handler.begun.map(\.payload) == ["3"])
        #expect(try rig.applied == ["a"])
    }

    @Test func `a running job that is enqueued again runs again, and its first result stays`()
        async throws
    {
        let rig = rig
        let settings = rig.settings
        let handler = TestHandler { job, _ in
            if job.payload == "1" {
                try await Database(settings).withConnection { connection in
                    try JobStore.enqueue(
                        job.kind, key: job.key, payload: "2", on: connection)
                }
            }
            return JobRig.applying(job)
        }
        try await rig.running(rig.runner([handler])) {
            try rig.enqueue("a", payload: "1")
            #expect(try await rig.becomes { try rig.applied == ["a", "a"] })
            #expect(try await rig.isWorkedOff())
        }
        #expect(handler.begun.map(\.payload) == ["1", "2"])
        #expect(handler.begun.map(\.attempts) == [1, 1])
    }

    @Test func `a result may enqueue its own job`() async throws {
        let handler = TestHandler { job, _ in
            .done { connection in
                try JobRig.apply(job, on: connection)
                if job.payload == "1" {
                    try JobStore.enqueue(job.kind, key: job.key, payload: "2", on: connection)
                }
            }
        }
        try await rig.running(rig.runner([handler])) {
            try rig.enqueue("a", payload: "1")
            #expect(try await rig.becomes { try rig.applied == ["a", "a"] })
            #expect(try await rig.isWorkedOff())
        }
    }

    @Test func `a failed job is retried after a pause, and its error is kept`() async throws {
        struct Hiccup: Error {}
        let isSeen = Atomic(false)
        let handler = TestHandler { job, context in
            if job.attempts < 3 { throw Hiccup() }
            #expect(context.isLastAttempt)
            let isSo = try await eventually { isSeen.load(ordering: .relaxed) }
            #expect(isSo)
            return JobRig.applying(job)
        }
        try await rig.running(rig.runner([handler])) {
            try rig.enqueue("a")
            #expect(try await rig.becomes { try rig.left.first?.lastError == "Hiccup()" })
            isSeen.store(true, ordering: .relaxed)
            #expect(try await rig.isWorkedOff())
        }
        #expect(try rig.applied == ["a"])
        #expect(handler.begun.map(\.attempts) == [1, 2, 3])
    }

    @Test func `a job that always fails becomes dead, is listed, and can be retried by hand`()
        async throws
    {
        struct Broken: Error {}
        let isMended = Mutex(false)
        let registry = Registry()
        let handler = TestHandler { job, _ in
            guard isMended.withLock({ $0 }) else { throw Broken() }
            return JobRig.applying(job)
        }
        try await rig.running(rig.runner([handler], registry: registry)) {
            try rig.enqueue("a")
            #expect(try await rig.becomes { try rig.left.first?.state == .dead })
            let dead = try #require(try rig.left.first)
            #expect(dead.attempts == 3)
            #expect(dead.lastError == "Broken()")
            #expect(dead.dueAt == nil)
            #expect(dead.failedAt != nil)
            #expect(try JobStore.counts(on: rig.connection) == [.dead: 1])
            #expect(try JobStore.list(state: .waiting, on: rig.connection).isEmpty)
            #expect(
                try JobStore.list(state: .dead, kind: "test.run", on: rig.connection).count == 1)
            isMended.withLock { $0 = true }
            #expect(try JobStore.retry(.dead(kind: "other"), on: rig.connection) == 0)
            #expect(try JobStore.retry(.job(dead.id), on: rig.connection) == 1)
            #expect(try await rig.becomes { try rig.applied == ["a"] })
        }
        #expect(try rig.left.isEmpty)
        let page = registry.render()
        for line in [
            #"sluice_job_runs_total{kind="test.run",ending="failed"} 2"#,
            #"sluice_job_runs_total{kind="test.run",ending="dead"} 1"#,
            #"sluice_job_runs_total{kind="test.run",ending="done"} 1"#,
            #"sluice_jobs_running{runner="jobs"} 0"#,
        ] {
            #expect(page.contains(line), "\(line)")
        }
    }

    @Test func `a handler records that a job is dead, in the same commit`() async throws {
        struct Broken: Error {}
        let handler = TestHandler(
            last: { job, connection in
                try connection.execute("insert into applied (key) values ('late \(job.key)')")
                // The first record can't be written, on any attempt.
                if job.key == "a" { try connection.execute("select 1 / 0") }
            }
        ) { _, _ in throw Broken() }
        try await rig.running(rig.runner([handler])) {
            for key in ["a", "b"] { try rig.enqueue(key) }
            #expect(
                try await rig.becomes { try rig.left.count { $0.state == .dead } == 2 })
        }
        #expect(try rig.applied == ["late b"])
        #expect(try rig.left.allSatisfy { $0.lastError == "Broken()" })
    }

    @Test func `a dead job that is enqueued again gets new attempts`() async throws {
        struct Broken: Error {}
        let handler = TestHandler { job, _ in
            guard job.payload == "good" else { throw Broken() }
            return JobRig.applying(job)
        }
        try await rig.running(rig.runner([handler])) {
            try rig.enqueue("a", payload: "bad")
            #expect(try await rig.becomes { try rig.left.first?.state == .dead })
            try rig.enqueue("a", payload: "good")
            #expect(try await rig.becomes { try rig.applied == ["a"] })
        }
        #expect(handler.begun.last?.attempts == 1)
    }

    @Test func `an outcome of again delays the job and counts as an attempt`() async throws {
        let isSeen = Atomic(false)
        let handler = TestHandler { job, _ in
            if job.attempts == 1 { return .again(after: .milliseconds(300), reason: "quota") }
            let isSo = try await eventually { isSeen.load(ordering: .relaxed) }
            #expect(isSo)
            return JobRig.applying(job)
        }
        try await rig.running(rig.runner([handler])) {
            let began = ContinuousClock.now
            try rig.enqueue("a")
            #expect(try await rig.becomes { try rig.left.first?.lastError == "quota" })
            isSeen.store(true, ordering: .relaxed)
            #expect(try await rig.becomes { try rig.applied == ["a"] })
            #expect(.now - began >= .milliseconds(300))
        }
        #expect(handler.begun.map(\.attempts) == [1, 2])
    }

    @Test func `a result that the database rejects is a failure and leaves nothing`() async throws {
        let handler = TestHandler { job, _ in
            .done { connection in
                try JobRig.apply(job, on: connection)
                try connection.execute("select 1 / 0")
            }
        }
        try await rig.running(rig.runner([handler])) {
            try rig.enqueue("a")
            #expect(try await rig.becomes { try rig.left.first?.state == .dead })
        }
        #expect(try rig.applied == [])
        #expect(try rig.left.first?.lastError?.contains("22012") == true)
    }

    @Test func `at most the configured number of jobs run at a time`() async throws {
        let state = Mutex((now: 0, most: 0))
        let handler = TestHandler { job, _ in
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // Each run waits until as many run as allowed.
            let isSo = try await eventually { state.withLock { $0.most } >= 3 }
            #expect(isSo)
            try await Task.sleep(for: .milliseconds(10))
            state.withLock { $0.now -= 1 }
            return JobRig.applying(job)
        }
        var configuration = JobRig.quick
        configuration.concurrency = 3
        for number in 0..<40 { try rig.enqueue("\(number)") }
        try await rig.running(rig.runner([handler], configuration)) {
            let isWorkedOff = try await rig.isWorkedOff()
            #expect(isWorkedOff)
        }
        #expect(state.withLock { $0.most } == 3)
        #expect(try rig.applied.count == 40)
    }

    @Test func `two runners share the work and repeat nothing`() async throws {
        let counts = Mutex([0, 0])
        let handlers = (0..<2).map { place in
            TestHandler { job, _ in
                let number = counts.withLock {
                    $0[place] += 1
                    return $0[place]
                }
                // Each runner waits for the other one at first, so both get a share.
                let isSo = try await eventually {
                    counts.withLock { $0[1 - place] } >= min(number, 10)
                }
                #expect(isSo)
                return JobRig.applying(job)
            }
        }
        for number in 0..<100 { try rig.enqueue("before \(number)") }
        try await rig.running(rig.runner([handlers[0]])) {
            try await rig.running(rig.runner([handlers[1]])) {
                for number in 0..<100 { try rig.enqueue("while \(number)") }
                #expect(try await rig.isWorkedOff())
            }
        }
        let applied = try rig.applied
        #expect(applied.count == 200)
        #expect(Set(applied).count == 200)
        #expect(handlers[0].begun.count + handlers[1].begun.count == 200)
        #expect(handlers.allSatisfy { $0.begun.count >= 10 })
    }

    @Test func `jobs of kinds without a handler are left to other nodes`() async throws {
        let handler = TestHandler { job, _ in JobRig.applying(job) }
        try JobStore.enqueue(JobKind("other"), key: "x", payload: "{}", on: rig.connection)
        try await rig.running(rig.runner([handler])) {
            try rig.enqueue("a")
            #expect(try await rig.becomes { try rig.applied == ["a"] })
        }
        #expect(try rig.left.map(\.kind) == ["other"])
        #expect(try rig.left.first?.attempts == 0)
    }
}
