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

    @Test func `a job runs soon after it is asked for, and leaves its result only`() async throws {
        let handler = TestHandler { job, _ in JobRig.applying(job) }
        try await rig.running(rig.runner([handler])) {
            // Found by the first look, then by notification: the poll is an hour away.
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

    @Test func `a job for later runs when its time has come`() async throws {
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

    @Test func `asked for again while it waits it is one job, with the later payload`() async throws
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

    @Test func `asked for again while it runs it runs again, and its first result stays`()
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

    @Test func `a result may ask for its own job`() async throws {
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

    @Test func `a failure is tried again after a pause, with its error`() async throws {
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

    @Test func `what fails each time is dead, is listed, and is retried by hand`() async throws {
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

    @Test func `what a job was for is told that it is dead, in the same commit`() async throws {
        struct Broken: Error {}
        let handler = TestHandler(
            last: { job, connection in
                try connection.execute("insert into applied (key) values ('late \(job.key)')")
                // The first can't be written, whatever is tried.
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

    @Test func `a dead job gets a new chance when it is asked for anew`() async throws {
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

    @Test func `again means later, and counts`() async throws {
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

    @Test func `a result that the database refuses is a failure and leaves nothing`() async throws {
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

    @Test func `no more run at a time than configured`() async throws {
        let state = Mutex((now: 0, most: 0))
        let handler = TestHandler { job, _ in
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // As many as may run do; none ends before.
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

    @Test func `two runners share the work and do nothing twice`() async throws {
        let counts = Mutex([0, 0])
        let handlers = (0..<2).map { place in
            TestHandler { job, _ in
                let number = counts.withLock {
                    $0[place] += 1
                    return $0[place]
                }
                // Each waits for the other one at first, so that both have a share.
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

    @Test func `kinds without a handler are left to others`() async throws {
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
