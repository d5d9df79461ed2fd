import Foundation
import TestSupport
import Testing

/// The examples of the README work.
@Suite(.timeLimit(.minutes(5)))
struct ReadmeTests {
    private static let text =
        (try? String(contentsOf: Project.file("README.md"), encoding: .utf8)) ?? ""

    /// The code of the first block of that language.
    private static func block(_ language: String) throws -> String {
        let start = try #require(text.range(of: "```\(language)\n")).upperBound
        let end = try #require(text.range(of: "\n```", range: start..<text.endIndex)).lowerBound
        return String(text[start..<end])
    }

    @Test(.enabled(if: CaptureClient.python != nil, "no Python: deploy/install-dependencies test"))
    func `its client retries until the batch is safe, and gives up on rejections`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("readme")
        let batch =
            #"{"metadata": {"device_id": "d"}, "data": [{"t": "2026-02-10T14:57:07Z", "#
            + #""type": "vital", "code": 1, "val": 72}]}"#
        // Nobody listens on that port at first.
        let port = TestCluster.freePort()
        let program =
            try Self.block("python") + """

                import sys
                url = "http://127.0.0.1:\(port)"
                print(send(url, "test-key", \(batch))["stored"], flush=True)
                print(send(url, "test-key", \(batch))["duplicates"], flush=True)
                try:
                    send(url, "wrong", \(batch))
                except requests.HTTPError as refusal:
                    print(refusal.response.status_code)
                """
        let python = try #require(CaptureClient.python)
        async let said = Subprocess.run(python, ["-c", program])
        try await Task.sleep(for: .seconds(1))
        let server = try await RunningServer.start(
            environment: environment, arguments: ["--port", "\(port)"])
        let outcome = try await said
        #expect(outcome.out == "1\n1\n401\n", "\(outcome.err)")
        #expect(try Fixtures.count("sluice.vital", settings) == 1)
        #expect(try await server.end() == 0)
    }

    @Test func `it is short, and names no missing file`() throws {
        #expect(Self.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
        for link in Self.text.matches(of: #/\]\((?!http)([^)#]+)/#) {
            let file = Project.file(String(link.1))
            #expect(FileManager.default.fileExists(atPath: file.path()), "\(link.1)")
        }
    }
}
