import Foundation
import Testing
import TestSupport

/// Runs scenarios of `Clients/captures.py`, a client made of Python's requests and websockets.
enum CaptureClient {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    /// A Python with the client's packages: `SLUICE_TEST_PYTHON`, or the tests' own Python beside
    /// `Package.swift`.
    static let python: String? = {
        let own = Project.file(".build-python/bin/python").path()
        let named = ProcessInfo.processInfo.environment["SLUICE_TEST_PYTHON"]
        return [named, own].compactMap { $0 }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Runs a scenario and expects it to succeed.
    static func run(
        _ scenario: String, _ url: String, _ arguments: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let program = directory.appendingPathComponent("Clients/captures.py").path
        let outcome = try await Subprocess.run(
            try #require(python), ["-B", program, scenario, url] + arguments)
        #expect(
            outcome.status == 0, "\(scenario): \(outcome.out)\(outcome.err)",
            sourceLocation: location)
    }
}
