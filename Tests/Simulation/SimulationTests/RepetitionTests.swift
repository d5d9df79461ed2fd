import Foundation
import Simulation
import Testing

/// A seed is a run, so any finding can be reproduced.
@Suite struct RepetitionTests {
    @Test func `the same seed is the same run`() {
        let simulation = Simulation()
        for seed in 1...20 as ClosedRange<UInt64> {
            let hash = simulation.run(seed: seed).hash
            // Recording the story must not change the run.
            #expect(simulation.run(seed: seed, isTold: seed % 2 == 0).hash == hash, "\(seed)")
        }
    }

    @Test func `different seeds are different runs`() {
        let simulation = Simulation()
        let hashes = Set((1...20 as ClosedRange<UInt64>).map { simulation.run(seed: $0).hash })
        #expect(hashes.count == 20)
    }

    /// Another process has other hash values, other addresses and another start time.
    @Test(.timeLimit(.minutes(10)))
    func `another process plays the same run`() throws {
        // Not `CommandLine`: the test runner may be called by a relative path.
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let here = URL(filePath: own).deletingLastPathComponent()
        let process = Process()
        process.executableURL = here.appending(path: "sluice-simulate")
        process.arguments = ["--seeds", "20", "--threads", "1", "--hashes"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let simulation = Simulation()
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").prefix(20)
        #expect(lines.count == 20)
        for (index, line) in lines.enumerated() {
            let seed = UInt64(index + 1)
            let hash = String(simulation.run(seed: seed).hash, radix: 16)
            #expect(line == "\(seed) \(hash)")
        }
    }
}
