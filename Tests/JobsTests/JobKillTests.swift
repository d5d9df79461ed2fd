import Foundation
import Jobs
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct JobKillTests {
    let rig: JobRig

    init() throws { rig = try JobRig() }

    private func worker() throws -> Process {
        // Beside the tests, wherever those were built.
        let here = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = here.appending(path: "job-worker")
        process.arguments = [rig.settings.connectionStringWithoutPassword]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test func `processes killed at any moment lose no job and apply none twice`() async throws {
        let count = 3000
        for number in 0..<count { try rig.enqueue("\(number)") }
        var kills = 0
        while kills < 12 {
            // Two at a time, as two nodes.
            let workers = try (0..<2).map { _ in try worker() }
            try await Task.sleep(for: .milliseconds(Int.random(in: 60...350)))
            for worker in workers {
                kill(worker.processIdentifier, SIGKILL)
                worker.waitUntilExit()
                kills += 1
            }
        }
        #expect(try rig.applied.count < count, "the workers were done before they were killed")
        #expect(try rig.applied.count > 0, "the workers were killed before they did anything")
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
