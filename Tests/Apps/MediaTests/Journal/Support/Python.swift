import Foundation
import TestSupport
import Testing

/// Runs a script with the packages of `deploy/python-test.txt`.
enum Python {
    static func run(_ script: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(path, "no Python for tests"))
        process.arguments = ["-c", script] + arguments
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text
    }

    /// `SLUICE_TEST_PYTHON`, or the Python that `deploy/install-dependencies test` installs.
    private static var path: String? {
        if let named = ProcessInfo.processInfo.environment["SLUICE_TEST_PYTHON"] { return named }
        let own = Project.file(".build-python/bin/python").path()
        return FileManager.default.isExecutableFile(atPath: own) ? own : nil
    }
}
