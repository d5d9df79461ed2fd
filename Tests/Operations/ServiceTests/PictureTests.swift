import Foundation
import TestSupport
import Testing

/// Expensive pictures, sent to the real binary.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct PictureTests {
    /// Facts about a process from /proc.
    private struct ProcessFacts {
        let id: Int32
        let name: String
        let parent: Int32

        init?(_ id: Int32) {
            guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let begin = text.firstIndex(of: "("), let end = text.lastIndex(of: ")")
            else { return nil }
            let rest = text[end...].split(separator: " ")
            // After the name: state, parent.
            guard rest.count > 2, let parent = Int32(rest[2]), rest[1] != "Z" else { return nil }
            (self.id, self.parent) = (id, parent)
            name = String(text[text.index(after: begin)..<end])
        }

        /// The processes that inspect files for a server.
        static func inspectors(of server: RunningServer) -> [ProcessFacts] {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return all.compactMap { Int32($0).flatMap(ProcessFacts.init) }
                .filter { $0.parent == server.processID && $0.name == "sluice-inspect" }
        }
    }

    /// Uploads a picture and gives its URL.
    private func upload(
        _ picture: [UInt8], _ user: String, to server: RunningServer
    ) async throws -> String {
        let path = TestCluster.freshDirectory() + ".picture"
        try Data(picture).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let answer = try await Answer.curl([
            server.url + "/api/users/user/\(user)/multimedia/swift", "-F", "file=@\(path)",
        ])
        #expect(answer.status == 200, "\(answer.body)")
        let files = try #require(try answer.json["files"] as? [[String: Any]])
        let data = try #require(files.first?["data"] as? [String: Any])
        return try #require(data["url"] as? String)
    }

    /// Requests a thumbnail and returns the status.
    private func thumbnail(_ url: String, _ width: Int = 64) async throws -> Int32 {
        let outcome = try await Subprocess.run(
            "/usr/bin/curl",
            [
                "--silent", "--output", "/dev/null", "--write-out", "%{http_code}",
                "\(url)?w=\(width)",
            ])
        return try #require(Int32(outcome.out), "\(outcome.err)")
    }

    @Test func `a slow picture delays no other user, and not the stop`() async throws {
        let (environment, _) = try Fixtures.environment("pictures")
        let server = try await RunningServer.start(environment: environment)
        let hostile = try await upload(HostilePicture.scans(4000), "mallory", to: server)
        let honest = try await upload(
            HostilePicture.jpeg(width: 600, height: 400), "ann", to: server)
        async let refused = thumbnail(hostile)
        #expect(try await eventually { ProcessFacts.inspectors(of: server).count == 1 })
        let inspector = try #require(ProcessFacts.inspectors(of: server).first)
        // Simulates a decoder that never ends.
        kill(inspector.id, SIGSTOP)
        #expect(try await thumbnail(honest, 100) == 200)
        #expect(try await server.end(SIGTERM) == 0)
        #expect(try await refused == 503)
        #expect(ProcessFacts(inspector.id) == nil)
    }

    @Test func `a picture's memory is not used by the server`() async throws {
        let (environment, _) = try Fixtures.environment("large_pictures")
        let server = try await RunningServer.start(environment: environment)
        let first = try await upload(HostilePicture.jpeg(width: 600, height: 400), "a", to: server)
        #expect(try await thumbnail(first) == 200)
        let before = try memoryPeak(of: server)
        let large = try await upload(
            HostilePicture.jpeg(width: HostilePicture.side, height: HostilePicture.side), "b",
            to: server)
        for width in [64, 2048] { #expect(try await thumbnail(large, width) == 200) }
        // Decoded, the picture takes 200 MB.
        #expect(try memoryPeak(of: server) - before < 64 << 20)
        #expect(try await server.end() == 0)
    }

    private func memoryPeak(of server: RunningServer) throws -> Int {
        let status = try String(
            contentsOfFile: "/proc/\(server.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1024
    }
}
