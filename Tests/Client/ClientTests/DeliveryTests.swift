import Foundation
import TestSupport
import Testing

@testable import SluiceClient

@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
    /// Takes connections and never answers.
    private final class SilentServer {
        private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let port: UInt16

        init() throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = listener
            let result = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, size) | listen(descriptor, 16)
                        | getsockname(descriptor, address, &size)
                }
            }
            try #require(result == 0)
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(listener) }
    }

    @Test func `a server that never answers is given up, and the readings stay`() async throws {
        let server = try SilentServer()
        let folder = URL(fileURLWithPath: TestCluster.freshDirectory())
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/ingest"))
        var configuration = TelemetryClient.Configuration(url: url, key: "k")
        configuration.timeoutSeconds = 0.3
        let client = TelemetryClient(configuration, queue: try ReadingQueue(directory: folder))
        try client.append([["t": "2026-02-10T14:57:07Z"]], metadata: ["device_id": "d"])
        for _ in 0..<2 {
            guard case .later(let reason, nil) = await client.send().end else {
                Issue.record("it is not empty")
                return
            }
            #expect(reason.contains("no answer"))
        }
        #expect(try client.queue.state().readings == 1)

        let sending = Task { await client.run() }
        try await Task.sleep(for: .milliseconds(50))
        sending.cancel()
        await sending.value
    }

    /// The batch must be moved aside, and the disk has no room for the reason.
    @Test func `a full disk is reported, and sending goes on once it has room`() async throws {
        let folder = URL(fileURLWithPath: TestCluster.freshDirectory())
        defer { try? FileManager.default.removeItem(at: folder) }
        // Nobody listens there.
        let url = try #require(URL(string: "http://127.0.0.1:9/ingest"))
        var configuration = TelemetryClient.Configuration(url: url, key: "k")
        configuration.intervalSeconds = 0.01
        configuration.pauseSecondsMax = 1
        let client = TelemetryClient(configuration, queue: try ReadingQueue(directory: folder))
        try client.append([["t": "2026-02-10T14:57:07Z"]], metadata: ["device_id": "d"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let name = try #require(names.first { $0.hasSuffix(".open") })
        let segment = folder.appendingPathComponent(name)
        var bytes = try Data(contentsOf: segment)
        bytes[0] = UInt8(ascii: "-")
        try bytes.write(to: segment)
        let noRoom =
            folder.appendingPathComponent("rejected").path
            + "/\(segment.deletingPathExtension().lastPathComponent).reason"
        try FileManager.default.createSymbolicLink(
            atPath: noRoom, withDestinationPath: "/dev/full")

        let (passes, said) = AsyncStream.makeStream(of: Delivery.End.self)
        let sending = Task { await client.run { said.yield($0.end) } }
        var ends: [Delivery.End] = []
        for await end in passes {
            ends.append(end)
            if ends.count == 2 {
                #expect(try client.queue.state().readings == 1)
                try FileManager.default.removeItem(atPath: noRoom)
            }
            if end == .empty { break }
        }
        sending.cancel()
        await sending.value
        for end in ends.dropLast() {
            guard case .later(let reason, nil) = end else {
                Issue.record("\(end)")
                continue
            }
            #expect(reason.contains("the queue can't be changed"))
        }
        #expect(ends.count >= 3)
        #expect(try client.queue.rejectionReasons() == ["the metadata is damaged"])
        #expect(try client.queue.state().readings == 0)
    }
}
