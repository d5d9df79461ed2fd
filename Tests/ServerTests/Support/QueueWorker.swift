import Foundation
import TestSupport
import Testing

/// A process that appends readings to a queue and sends them, in Swift or in Python, and can be
/// killed and started again where it was.
final class QueueWorker {
    enum Language: String, CaseIterable {
        case swift, python
    }

    let device: String
    private let command: [String]
    private let readings: Int
    private let output: URL
    private var process = Process()
    /// The readings whose append returned.
    private(set) var appended = 0

    /// - Parameters:
    ///   - queue: its directory.
    ///   - readings: after so many it ends, once all are sent.
    init(_ language: Language, device: String, queue: String, url: String, readings: Int) throws {
        let script = Project.file("Tests/ServerTests/Clients/queueworker.py").path
        command =
            (language == .swift
                ? [BuiltProgram.path("client-worker")] : ["/usr/bin/env", "python3", "-B", script])
            + [queue, url, "test-key", device]
        self.device = device
        self.readings = readings
        output = URL(fileURLWithPath: TestCluster.freshDirectory())
        try start()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: output)
    }

    private func start() throws {
        try Data().write(to: output)
        process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = command.dropFirst() + ["\(appended)", "\(readings)"]
        process.environment = Subprocess.bareEnvironment
        let file = try FileHandle(forWritingTo: output)
        process.standardOutput = file
        try process.run()
        try file.close()
    }

    private func readOutput() throws {
        let lines = try String(contentsOf: output, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        // The last one may be torn.
        if let last = lines.dropLast().last { appended = try #require(Int(last)) }
    }

    var isRunning: Bool { process.isRunning }

    /// Ends the process with SIGKILL and starts it again behind what was appended.
    func killAndRestart() async throws {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        try readOutput()
        try start()
    }

    /// Waits until all is appended and sent.
    ///
    /// - Returns: the exit code; nil if it takes too long.
    func finish() async throws -> Int32? {
        guard try await eventually(every: .milliseconds(50), { !process.isRunning }) else {
            return nil
        }
        try readOutput()
        return process.terminationStatus
    }
}
