import Foundation
import Jobs
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JobKillTests {
    let rig: JobRig

    init() throws { rig = try JobRig() }

    private func worker() throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BuiltProgram.path("job-worker"))
        process.arguments = [rig.settings.connectionStringWithoutPassword]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test func `processes that are killed at any moment lose no job and apply none twice`()
        async throws
    {
        var count = 0
        // Rounds with unfinished work when the processes were killed. On a busy machine the
        // workers may finish all jobs, or start none, before this thread runs again.
        var hits = 0
        for _ in 0..<200 where hits < 6 {
            let before = try rig.applied.count
            while count < before + 500 {
                try rig.enqueue("\(count)")
                count += 1
            }
            // Two workers at a time, as on two nodes.
            let workers = try (0..<2).map { _ in try worker() }
            let isAtWork = try await rig.becomes { try rig.applied.count > before }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...100)))
            for worker in workers {
                kill(worker.processIdentifier, SIGKILL)
                worker.waitUntilExit()
            }
            #expect(isAtWork)
            let leased = try rig.connection.query(
                "select from sluice.job where lease is not null")
            if leased.count > 0 { hits += 1 }
        }
        #expect(hits == 6)
        let last = try worker()
        defer {
            kill(last.processIdentifier, SIGKILL)
            last.waitUntilExit()
        }
        let isWorkedOff = try await rig.becomes { try rig.left.isEmpty }
        #expect(isWorkedOff)
        let applied = try rig.applied
        #expect(applied.count == count)
        #expect(Set(applied).count == count)
    }
}
