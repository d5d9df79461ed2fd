import Foundation
import Testing

/// Runs scenarios of `Clients/journal.py`, a client made of Python's requests, ffmpeg's files and
/// a browser.
enum JournalClient {
    private static let program = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Clients/journal.py").path

    /// Whether Python and ffmpeg, which makes the recordings, are installed.
    static var isThere: Bool {
        CaptureClient.python != nil && isInstalled("ffmpeg")
    }

    static func isInstalled(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
    }

    /// Runs a scenario and expects it to succeed.
    static func run(
        _ scenario: String, _ url: String, _ arguments: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await Subprocess.run(
            try #require(CaptureClient.python), ["-B", program, scenario, url] + arguments)
        #expect(
            outcome.status == 0, "\(scenario): \(outcome.out)\(outcome.err)",
            sourceLocation: location)
    }
}
