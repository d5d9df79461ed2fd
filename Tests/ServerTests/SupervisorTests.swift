import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Server

/// The manager's end of the socket: receives datagrams, on a path or under an abstract name.
private final class ManagerSocket: Sendable {
    let text: String
    private let descriptor: Int32
    private let path: String?

    init(isAbstract: Bool) throws {
        let unique = "sluice-\(UUID().uuidString)"
        path = isAbstract ? nil : NSTemporaryDirectory() + unique
        text = path ?? "@\(unique)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(text.utf8)
        if isAbstract { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let bytes = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count
        let descriptor = descriptor
        let outcome = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(bytes + (isAbstract ? 0 : 1)))
            }
        }
        try #require(outcome == 0)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The lines of the next message; nil if none arrived for two minutes.
    func next() -> [String]? { receive(flags: 0) }

    /// Every message has been read.
    var isEmpty: Bool { receive(flags: Int32(MSG_DONTWAIT)) == nil }

    private func receive(flags: Int32) -> [String]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, flags)
        guard count >= 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self).components(separatedBy: "\n")
    }
}

@Suite(.timeLimit(.minutes(10))) struct SupervisorTests {
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    private func supervisor(
        _ socket: ManagerSocket, patience: Int? = nil, owner: String? = nil
    ) -> Supervisor {
        var environment = ["NOTIFY_SOCKET": socket.text]
        environment["WATCHDOG_USEC"] = patience.map { "\($0)" }
        environment["WATCHDOG_PID"] = owner
        return Supervisor(environment: environment, processID: 42, logger: logger)
    }

    @Test(arguments: [false, true])
    func `a start, a reload and a stop are reported in order`(isAbstract: Bool)
        async throws
    {
        let socket = try ManagerSocket(isAbstract: isAbstract)
        let supervisor = supervisor(socket)
        supervisor.ready("serving")
        #expect(socket.next() == ["READY=1", "STATUS=serving"])
        await supervisor.reloading {
            let lines = socket.next() ?? []
            #expect(lines.first == "RELOADING=1")
            #expect(lines.last?.hasPrefix("MONOTONIC_USEC=") == true)
        }
        #expect(socket.next() == ["READY=1", "STATUS=serving"])
        supervisor.stopping(within: .seconds(90))
        #expect(
            socket.next() == ["STOPPING=1", "STATUS=stopping", "EXTEND_TIMEOUT_USEC=90000000"])
        #expect(socket.isEmpty)
    }

    @Test func `messages that are too early or repeated are not sent`() async throws {
        let socket = try ManagerSocket(isAbstract: false)
        let supervisor = supervisor(socket)
        await supervisor.reloading {}
        #expect(socket.isEmpty)
        supervisor.stopping(within: .seconds(1))
        #expect(socket.next()?.first == "STOPPING=1")
        supervisor.ready("serving")
        supervisor.stopping(within: .seconds(1))
        await supervisor.reloading {}
        #expect(socket.isEmpty)
    }

    @Test func `heartbeats are sent while the server is alive, with its condition`() async throws {
        let socket = try ManagerSocket(isAbstract: true)
        let supervisor = supervisor(socket, patience: 60_000, owner: "42")
        let isAlive = Mutex(true)
        let asked = Mutex(0)
        supervisor.attach(
            isAlive: { limit in
                #expect(limit == .milliseconds(20))
                asked.withLock { $0 += 1 }
                return isAlive.withLock { $0 }
            },
            condition: { "spooling" })
        let heartbeats = Task { await supervisor.heartbeat() }
        defer { heartbeats.cancel() }
        try await Task.sleep(for: .milliseconds(60))
        #expect(socket.isEmpty, "there are none before it is ready")
        supervisor.ready("serving")
        #expect(socket.next()?.first == "READY=1")
        for _ in 0..<3 { #expect(socket.next() == ["WATCHDOG=1", "STATUS=spooling"]) }

        isAlive.withLock { $0 = false }
        func asksOn() async throws -> Bool {
            let before = asked.withLock { $0 }
            return try await eventually { asked.withLock { $0 } >= before + 3 }
        }
        // By then any heartbeat of an earlier check has been sent.
        #expect(try await asksOn())
        while !socket.isEmpty {}
        #expect(try await asksOn(), "it was looked at")
        #expect(socket.isEmpty, "and nothing was said")

        supervisor.stopping(within: .seconds(1))
        #expect(socket.next()?.first == "STOPPING=1")
        #expect(socket.next() == ["WATCHDOG=1"], "a stop has a limit of its own")
    }

    @Test func `without a manager that expects heartbeats there are none`() async throws {
        let socket = try ManagerSocket(isAbstract: false)
        #expect(supervisor(socket).patience == nil)
        #expect(supervisor(socket, patience: 0).patience == nil)
        #expect(supervisor(socket, patience: 1000, owner: "43").patience == nil)
        #expect(supervisor(socket, patience: 1000).patience == .milliseconds(1))
        let nobody = Supervisor(
            environment: ["WATCHDOG_USEC": "1000"], processID: 42, logger: logger)
        #expect(nobody.patience == nil)
        nobody.ready("serving")
        await nobody.heartbeat()
    }

    @Test func `only paths and abstract names are sockets`() {
        let longest = "/" + String(repeating: "n", count: 106)
        #expect(SupervisorSocket(longest) != nil)
        for text in ["", "/", "@", "notify", "vsock:2:1", longest + "n", "/a\0b"] {
            #expect(SupervisorSocket(text) == nil, "\(text)")
        }
    }

    @Test func `a missing manager is an error that does no harm`() throws {
        let socket = try #require(SupervisorSocket("/nonexistent/notify"))
        #expect(throws: SupervisorSocket.Fault.system(call: "sendto", code: ENOENT)) {
            try socket.send(["READY=1"])
        }
    }
}
