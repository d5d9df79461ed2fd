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

    /// Sends a file, and returns the status.
    private func send(
        _ file: [UInt8], _ user: String, to server: RunningServer
    ) async throws -> String {
        let path = TestCluster.freshDirectory() + ".film"
        try Data(file).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await Subprocess.run(
            "/usr/bin/curl",
            [
                "--silent", "--output", "/dev/null", "--write-out", "%{http_code}",
                server.url + "/api/users/user/\(user)/multimedia/swift", "-F", "file=@\(path)",
            ]
        ).out
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let count = content.count + 8
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + Array(name.utf8)
            + content
    }

    /// Many that are as expensive as a file of their size can be, and one that is nested deeply.
    @Test func `hostile films end no server, delay no other user and not the stop`() async throws {
        let (environment, _) = try Fixtures.environment(
            "films", ["SLUICE_SHUTDOWN_WITHIN": "5s"])
        let server = try await RunningServer.start(environment: environment)
        let start = Self.box("ftyp", Array("isom\u{0}\u{0}\u{0}\u{0}isommp42".utf8))
        var nested = start
        let depth = 20_000
        for number in 0..<depth {
            let bytes = 12 * (depth - number)
            nested += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes >> $0) }
            nested += Array("meta".utf8) + [0, 0, 0, 0]
        }
        #expect(try await send(nested, "eve", to: server) == "200")
        var boxes: [UInt8] = []
        let empty = Self.box("free", [])
        for _ in 0..<400_000 { boxes += empty }
        let expensive = start + Self.box("moov", boxes)
        let picture = try HostilePicture.jpeg(width: 60, height: 40)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<30 {
                group.addTask { _ = try await send(expensive, "eve", to: server) }
            }
            #expect(try await eventually { ProcessFacts.inspectors(of: server).count == 2 })
            for _ in 0..<3 {
                #expect(ProcessFacts.inspectors(of: server).count <= 4)
                let clock = ContinuousClock.now
                #expect(try await send(picture, "ann", to: server) == "200")
                // A second, and what a busy machine takes.
                #expect(ContinuousClock.now - clock < .seconds(5))
            }
            let clock = ContinuousClock.now
            #expect(try await server.end(SIGTERM) == 0)
            #expect(ContinuousClock.now - clock < .seconds(20))
            try await group.waitForAll()
        }
    }

    @Test func `the server maps no library that reads pictures or films`() async throws {
        let (environment, _) = try Fixtures.environment("libraries")
        let server = try await RunningServer.start(environment: environment)
        let maps = try String(contentsOfFile: "/proc/\(server.processID)/maps", encoding: .utf8)
        let objects = Set(
            maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }
                .filter { $0.contains(".so") })
        for name in ["libgd.", "libgexiv2", "libexiv2", "libav", "libX11", "OpenCL", "libglib"] {
            #expect(!objects.contains { $0.contains(name) }, "\(name)")
        }
        // With Swift's own, which a release has in the binary.
        #expect(objects.count <= 50, "\(objects.sorted())")
        #expect(try await server.end() == 0)
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
