import Foundation
import Synchronization

/// A relay between Sluice and the database's socket. On demand it drops a connection when the
/// server has confirmed a COMMIT and Sluice has not received the confirmation.
final class Relay: Sendable {
    /// The directory of its own socket.
    let directory: String
    private let listener: Int32
    private let target: String
    private let armed = Atomic(0)
    private let cutCount = Atomic(0)

    private static let pieceBytes = 256 * 1024
    /// The tag of PostgreSQL's CommandComplete.
    private static let commitTag = Array("COMMIT\0".utf8)

    init(directory: String, to socketDirectory: String) throws {
        self.directory = directory
        target = "\(socketDirectory)/.s.PGSQL.5432"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let listener = Self.makeSocket()
        self.listener = listener
        let isListening = Self.withAddress("\(directory)/.s.PGSQL.5432") { address, length in
            bind(listener, address, length) == 0 && listen(listener, 64) == 0
        }
        guard isListening else { throw ChaosFailure.systemCallFailed("bind", errno: errno) }
        Thread.detachNewThread { self.accept() }
    }

    /// Connections cut so far.
    var cuts: Int { cutCount.load(ordering: .relaxed) }

    /// Drops the connection at the next COMMIT that passes.
    func cutNextCommit() {
        armed.store(1, ordering: .releasing)
    }

    func disarm() {
        armed.store(0, ordering: .releasing)
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = Self.makeSocket()
            guard Self.withAddress(target, { connect(server, $0, $1) == 0 }) else {
                close(server)
                close(client)
                continue
            }
            let pair = Pair(client: client, server: server)
            Thread.detachNewThread { self.pump(client, server, pair, hearsCommit: false) }
            Thread.detachNewThread { self.pump(server, client, pair, hearsCommit: true) }
        }
    }

    /// Both sockets of a connection, closed when both directions are done.
    private final class Pair: Sendable {
        private let client: Int32
        private let server: Int32
        private let left = Atomic(2)

        init(client: Int32, server: Int32) {
            (self.client, self.server) = (client, server)
        }

        func directionDone() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
            guard left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
            close(client)
            close(server)
        }
    }

    private func pump(_ from: Int32, _ to: Int32, _ pair: Pair, hearsCommit: Bool) {
        defer { pair.directionDone() }
        var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0 else { return }
            if hearsCommit, armed.load(ordering: .acquiring) > 0,
                buffer[..<count].firstRange(of: Self.commitTag) != nil,
                armed.exchange(0, ordering: .acquiringAndReleasing) > 0
            {
                cutCount.add(1, ordering: .relaxed)
                return
            }
            var start = 0
            while start < count {
                let written = buffer.withUnsafeBytes {
                    send(to, $0.baseAddress! + start, count - start, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                start += written
            }
        }
    }

    private static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        precondition(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path), "BUG: \(path)")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
