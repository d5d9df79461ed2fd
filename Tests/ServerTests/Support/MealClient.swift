import Foundation
import Testing

/// Runs scenarios of `Clients/meals.py`, a client of meal logs made of Python's requests and
/// websockets.
enum MealClient {
    /// Runs a scenario and expects it to succeed.
    ///
    /// - Returns: all frames that it received, in order.
    @discardableResult
    static func run(
        _ scenario: String, _ url: String, _ arguments: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Clients/meals.py").path
        let outcome = try await Subprocess.run(
            try #require(CaptureClient.python), ["-B", program, scenario, url] + arguments)
        #expect(
            outcome.status == 0, "\(scenario): \(outcome.out)\(outcome.err)",
            sourceLocation: location)
        return outcome.out.split(separator: "\n").filter { $0.hasPrefix("frame ") }
            .map { String($0.dropFirst("frame ".count)) }
    }
}
