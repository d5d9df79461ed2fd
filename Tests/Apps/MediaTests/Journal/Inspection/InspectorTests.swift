import Foundation
import Glibc
import Inspections
@testable import Media
import TestSupport
import Testing

/// Processes that behave like processes with hostile files: they end badly, late, or never.
@Suite(.timeLimit(.minutes(10)))
struct InspectorTests {
    @discardableResult
    private func report(
        _ inspector: Inspector
    ) async throws(InspectionFailure) -> FileReport {
        try await inspector.report(
            on: InspectionSubject(TestImage.jpeg()), .jpeg, erasesLocation: true,
            of: InspectionClient(user: "u1"))
    }

    private func failure(
        _ script: String, secondsMax: Int = 100
    ) async throws -> InspectionFailure? {
        let inspector = try Inspector.forTests(ScriptedProgram(script)) {
            $0.reportLimits.secondsMax = secondsMax
        }
        do throws(InspectionFailure) {
            try await report(inspector)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a process that does not end is killed at its time limit`() async throws {
        #expect(
            try await failure("exec sleep 100000", secondsMax: 1) == .overLimits(.late))
    }

    @Test func `a process that has closed its output is not waited for`() async throws {
        #expect(
            try await failure("exec sleep 100000 >/dev/null") == .overLimits(.signalled(SIGKILL)))
    }

    @Test func `a process with endless output is killed`() async throws {
        #expect(try await failure("exec cat /dev/zero") == .overLimits(.loud))
    }

    @Test func `a crash, an end without an answer and nonsense are the file's fault`() async throws
    {
        #expect(try await failure("kill -SEGV $$") == .overLimits(.signalled(SIGSEGV)))
        #expect(try await failure("exit 3") == .overLimits(.exited(3)))
        #expect(try await failure("echo hello") == .overLimits(.exited(0)))
        #expect(try await failure(#"printf '\003'"#) == .unreadable)
    }

    @Test func `a program that can't be started is not the file's fault`() async throws {
        #expect(try await failure("exit 127") == .notStarted(errno: EPERM))
        #expect(
            try await failure("exit \(Inspections.unlimitedStatus)") == .notStarted(errno: EPERM))
        let program = try ScriptedProgram("")
        try FileManager.default.removeItem(atPath: program.path)
        let inspector = Inspector.forTests(program)
        await #expect(throws: InspectionFailure.notStarted(errno: ENOENT)) {
            try await report(inspector)
        }
    }

    @Test func `a process gets the file, and nothing else of ours`() async throws {
        let program = try ScriptedProgram(
            """
            env | cut -d= -f1 | grep -vx -e PWD -e OLDPWD -e SHLVL -e _ >>"$0.notes"
            ls /proc/$$/fd >>"$0.notes"
            cmp - '\(Corpus.directory.appendingPathComponent("plain.jpg").path)' &&
                echo same >>"$0.notes"
            \(ScriptedProgram.real)
            """)
        let inspector = Inspector.forTests(program)
        let bytes = try Corpus.bytes("plain.jpg")
        // Descriptors such as every server has in large numbers.
        let others = (0..<20).map { _ in open("/dev/null", O_RDONLY) }
        defer { others.forEach { close($0) } }
        let subject = try InspectionSubject(bytes)
        // Writers and readers of a file share its offset.
        lseek(subject.descriptor, 0, SEEK_SET)
        let report = try await inspector.report(
            on: subject, .jpeg, erasesLocation: true,
            of: InspectionClient(user: "u1"))
        #expect(report.image?.width == 96)
        let allowed = [
            "LC_ALL", "SWIFT_BACKTRACE", "LD_LIBRARY_PATH", "0", "1", "2", "same",
        ]
        // The shell has the script open, and keeps its output while `ls` writes elsewhere. (A pipe
        // might or might not be open here for a moment.)
        let rest = program.notes.filter { !allowed.contains($0) && $0 != "10" && $0 != "11" }
        #expect(rest.isEmpty && program.notes.contains("same"), "\(program.notes)")
    }

    @Test func `limits are the kernel's, set before the file is read`() async throws {
        let fifty = try HostilePicture.bomb()
        let hostile = try HostilePicture.scans(4000)
        let journal = try Journal(
            inspector: .forTests {
                $0.thumbnailLimits = InspectionLimits(
                    memoryBytesMax: 32 << 20, processorSecondsMax: 1, secondsMax: 600)
            })
        // Its 49 million pixels need a byte each.
        let bomb = try await journal.upload(fifty)
        let outcome = try await journal.thumbnail(bomb, 64)
        switch outcome {
        case .unreadable, .overLimits: break
        default: Issue.record("\(outcome)")
        }
        let generous = Inspector.forTests {
            $0.thumbnailLimits = InspectionLimits(
                memoryBytesMax: 1 << 30, processorSecondsMax: 1, secondsMax: 600)
        }
        let subject = try InspectionSubject(hostile)
        let order = InspectionOrder(
            wish: .thumbnail(width: 64, pixelsMax: 50_000_000), type: .jpeg,
            limits: generous.configuration.thumbnailLimits)
        await #expect(throws: InspectionFailure.overLimits(.signalled(SIGXCPU))) {
            _ = try await generous.thumbnails.run(
                BuiltProgram.path("sluice-inspect"), order, on: subject)
        }
    }

    @Test(arguments: [true, false])
    func `a caller that gives up ends the process`(isShutDown: Bool) async throws {
        let inspector = try Inspector.forTests(ScriptedProgram("exec sleep 100000")) {
            $0.thumbnailLimits.secondsMax = 100_000
        }
        let journal = try Journal(inspector: inspector)
        // Facts come from the real program; the thumbnail from the one that sleeps.
        let file = try await Journal(sharing: journal, inspector: .forTests())
            .upload(HostilePicture.jpeg(width: 300, height: 20))
        let task = Task { try await journal.thumbnail(file, 64) }
        #expect(try await eventually { inspector.thumbnails.runsCount == 1 })
        if isShutDown { inspector.stopThumbnails() } else { task.cancel() }
        guard case .busy = try await task.value else { throw CancellationError() }
        #expect(inspector.thumbnails.runsCount == 0)
        // The file is not to blame.
        #expect(inspector.failure(of: file.media.object.digest) == nil)
        await inspector.shutdown()
        guard case .busy = try await journal.thumbnail(file, 64) else {
            throw CancellationError()
        }
    }

    @Test(arguments: [Duration.seconds(3600), .zero])
    func `a picture that crashed its reader is not tried at every request`(
        age: Duration
    ) async throws {
        let program = try ScriptedProgram(
            """
            case "$*" in *thumbnail*) echo run >>"$0.notes"; kill -SEGV $$;; esac
            \(ScriptedProgram.real)
            """)
        let journal = try Journal(inspector: .forTests(program) { $0.faultAge = age })
        let content = try HostilePicture.jpeg(width: 300, height: 20)
        let file = try await journal.upload(content)
        // The same bytes under another name, of another user.
        let other = try await journal.upload(content, user: "u2")
        for (file, width) in [(file, 64), (file, 64), (file, 128), (other, 64)] {
            guard case .overLimits = try await journal.thumbnail(file, width) else {
                throw CancellationError()
            }
        }
        #expect(program.notes.count == (age == .zero ? 4 : 1))
    }

    @Test func `a user's files may take a time of the processor, and no other user's share it`()
        async throws
    {
        let program = try ScriptedProgram(
            // A tenth of a second of processor time, then the answer.
            "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done\n\(ScriptedProgram.real)")
        let inspector = Inspector.forTests(program) { $0.secondsPerHour = 1 }
        var count = 0
        var failure: InspectionFailure?
        while failure == nil, count < 1000 {
            do throws(InspectionFailure) {
                try await report(inspector)
                count += 1
            } catch {
                failure = error
            }
        }
        guard case .budgetUsedUp(let time) = failure else {
            Issue.record("\(count) reports, then \(String(describing: failure))")
            return
        }
        // One second refills in an hour; nobody may owe more than what ran at once.
        #expect(time > .zero && time < .seconds(3600))
        #expect(inspector.wait(of: InspectionClient(user: "u1")) != nil)
        #expect(inspector.wait(of: InspectionClient(user: "u2")) == nil)
        _ = try await inspector.report(
            on: InspectionSubject(TestImage.jpeg()), .jpeg, erasesLocation: true,
            of: InspectionClient(user: "u2"))
    }

    @Test func `budgets are bounded, refill, and may be off`() {
        let now = ContinuousClock.now
        let budget = InspectionBudget(secondsPerHour: 3600)
        func user(_ name: String) -> InspectionClient { InspectionClient(user: name) }
        for number in 0..<InspectionBudget.usersMax {
            budget.spend(.seconds(4000), of: user("u\(number)"), now: now)
        }
        budget.spend(.seconds(4000), of: user("one more"), now: now)
        #expect(budget.wait(of: user("another"), now: now) != nil)
        #expect(budget.wait(of: user("u1"), now: now + .seconds(399)) != nil)
        #expect(budget.wait(of: user("u1"), now: now + .seconds(401)) == nil)
        let none = InspectionBudget(secondsPerHour: 0)
        none.spend(.seconds(100_000), of: user("u1"), now: now)
        #expect(none.wait(of: user("u1"), now: now) == nil)
    }

    @Test func `an address has eight budgets, whatever names it gives itself`() {
        let now = ContinuousClock.now
        let budget = InspectionBudget(secondsPerHour: 3600)
        func client(_ number: Int, _ address: String) -> InspectionClient {
            InspectionClient(user: "u\(number)", of: .address(address))
        }
        var count = 0
        while budget.wait(of: client(count, "a"), now: now) == nil, count < 100 {
            budget.spend(.seconds(3000), of: client(count, "a"), now: now)
            count += 1
        }
        #expect(count == 10)
        #expect(budget.wait(of: client(100, "b"), now: now) == nil)
        // A key acts for many users.
        let other = InspectionClient(user: "another", of: .key("a"))
        for number in 0..<100 {
            let client = InspectionClient(user: "k\(number)", of: .key("a"))
            budget.spend(.seconds(3000), of: client, now: now)
        }
        #expect(budget.wait(of: other, now: now) == nil)
    }

    @Test func `one user's uploads leave a place for another's`() async throws {
        let inspector = try Inspector.forTests(
            ScriptedProgram(
                "case \"$*\" in *png*) exec sleep 100000;; esac\n\(ScriptedProgram.real)"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await #expect(throws: InspectionFailure.stopped) {
                        try await inspector.report(
                            on: InspectionSubject([1]), .png, erasesLocation: true,
                            of: InspectionClient(user: "eve"))
                    }
                }
            }
            for _ in 0..<5 { try await report(inspector) }
            await inspector.shutdown()
            try await group.waitForAll()
        }
    }

    @Test func `remembered faults are bounded`() throws {
        var faults = InspectionFaults(countMax: 10, age: .seconds(5))
        let now = ContinuousClock.now
        func digest(_ number: Int) throws -> MediaDigest {
            try #require(MediaDigest(bytes: (0..<32).map { UInt8($0 == 0 ? number : 0) }))
        }
        for number in 0..<100 {
            faults.note(.unreadable, of: try digest(number), at: now)
            #expect(faults.failure(of: try digest(number), at: now) == .unreadable)
            #expect(
                try (0..<100).count { faults.failure(of: try digest($0), at: now) != nil } <= 10)
        }
        #expect(faults.failure(of: try digest(99), at: now + .seconds(5)) == nil)
        faults.note(.stopped, of: try digest(100), at: now)
        #expect(faults.failure(of: try digest(100), at: now) == nil)
    }
}
