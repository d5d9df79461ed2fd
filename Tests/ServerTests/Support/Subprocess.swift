import Foundation
import TestSupport
import Testing

/// One run of a program. Waiting for it blocks no thread of Swift's pool.
struct Subprocess {
    struct Outcome {
        let status: Int32
        let out: String
        let err: String
    }

    static let sluice = BuiltProgram.path("sluice")

    /// The variables that programs need, without any of Sluice's settings.
    static let bareEnvironment = ProcessInfo.processInfo.environment.filter {
        ["PATH", "HOME", "LANG", "SLUICE_POSTGRES_BIN"].contains($0.key)
    }

    /// Runs a program to its end, for at most a minute.
    static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        input: String = ""
    ) async throws -> Outcome {
        let directory = URL(fileURLWithPath: TestCluster.freshDirectory())
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (inFile, outFile, errFile) = (
            directory.appendingPathComponent("in"), directory.appendingPathComponent("out"),
            directory.appendingPathComponent("err")
        )
        try Data(input.utf8).write(to: inFile)
        for file in [outFile, errFile] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = bareEnvironment.merging(environment) { $1 }
        let files = [
            try FileHandle(forReadingFrom: inFile), try FileHandle(forWritingTo: outFile),
            try FileHandle(forWritingTo: errFile),
        ]
        // A `Process` is not always released, and a server that is started later would inherit
        // the files.
        defer { for file in files { try? file.close() } }
        (process.standardInput, process.standardOutput, process.standardError) =
            (files[0], files[1], files[2])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            process.terminationHandler = { _ in done.resume() }
            do {
                try process.run()
                let id = process.processIdentifier
                DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak process] in
                    if process?.isRunning == true { kill(id, SIGKILL) }
                }
            } catch {
                done.resume()
            }
        }
        return Outcome(
            status: process.terminationReason == .exit
                ? process.terminationStatus : 128 + process.terminationStatus,
            out: String(decoding: try Data(contentsOf: outFile), as: UTF8.self),
            err: String(decoding: try Data(contentsOf: errFile), as: UTF8.self))
    }

    /// Runs a command of the binary under test.
    static func sluice(
        _ arguments: String..., environment: [String: String]
    ) async throws -> Outcome {
        try await run(sluice, arguments, environment: environment)
    }
}
