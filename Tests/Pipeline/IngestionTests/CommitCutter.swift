import Foundation
import Glibc
import Postgres
import Synchronization

/// A proxy between a client and a server on Unix sockets. On demand it drops a connection after the
/// server has answered COMMIT and before the client has received the answer.
final class CommitCutter: Sendable {
    let settings: ConnectionSettings
    private let directory: String
    private let listener: Int32
    private let target: String
    private let armed = Atomic(false)
    private let cutCount = Atomic(0)

    var cuts: Int { cutCount.load(ordering: .relaxed) }

    init(to server: ConnectionSettings) throws {
        let port = server.port ?? "5432"
        target = "\(server.host!)/.s.PGSQL.\(port)"
        directory =
            NSTemporaryDirectory() + "sluice-cutter-\(getpid())-\(UInt32.random(in: 0...9999))"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        settings = ConnectionSettings(
            socketDirectory: directory, user: server.user!, database: server.database!)
        listener = Self.socketHandle()
        try Self.withAddress("\(directory)/.s.PGSQL.5432") { address, length in
            guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else {
                throw POSIXError(.EIO)
            }
        }
        Foundation.Thread.detachNewThread { self.accept() }
    }

    func cutNextCommit() {
        armed.store(true, ordering: .releasing)
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = Self.socketHandle()
            guard Self.withAddress(target, { connect(server, $0, $1) == 0 }) else {
                close(client)
                continue
            }
            Foundation.Thread.detachNewThread { self.pump(client, server, watch: false) }
            Foundation.Thread.detachNewThread { self.pump(server, client, watch: true) }
        }
    }

    private func pump(_ from: Int32, _ to: Int32, watch: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let tag = Array("COMMIT\0".utf8)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0 else { break }
            if watch, armed.load(ordering: .acquiring),
                buffer[..<count].firstRange(of: tag) != nil
            {
                armed.store(false, ordering: .relaxed)
                cutCount.add(1, ordering: .relaxed)
                break
            }
            guard write(to, buffer, count) == count else { break }
        }
        shutdown(from, Int32(SHUT_RDWR))
        shutdown(to, Int32(SHUT_RDWR))
    }

    private static func socketHandle() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
