import Foundation
import Glibc
public import Postgres

/// A proxy between clients and a server on Unix sockets.
public final class UnixRelay: Sendable {
    /// Looks at what passes in one connection. Each method is called from a thread of its own.
    public protocol Watcher: Sendable {
        /// Called before the bytes are sent.
        func willForward(toServer bytes: ArraySlice<UInt8>)
        /// Called before the bytes are sent.
        ///
        /// - Returns: false to drop the connection instead.
        func willForward(toClient bytes: ArraySlice<UInt8>) -> Bool
    }

    /// The way to the server through this relay.
    public let settings: ConnectionSettings
    private let directory: String
    private let listener: Int32
    private let target: String
    private let makeWatcher: @Sendable () -> any Watcher

    /// - Parameters:
    ///   - server: a directory of Unix sockets, user and database are needed.
    ///   - makeWatcher: called for each connection.
    public init(
        to server: ConnectionSettings, _ makeWatcher: @escaping @Sendable () -> any Watcher
    ) throws {
        self.makeWatcher = makeWatcher
        let port = server.port ?? "5432"
        target = "\(server.host!)/.s.PGSQL.\(port)"
        directory =
            NSTemporaryDirectory() + "sluice-relay-\(getpid())-\(UInt32.random(in: 0...9999))"
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

    /// Accepts no more connections.
    public func stop() {
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
            let watcher = makeWatcher()
            Foundation.Thread.detachNewThread {
                Self.pump(client, server) {
                    watcher.willForward(toServer: $0)
                    return true
                }
            }
            Foundation.Thread.detachNewThread {
                Self.pump(server, client, watcher.willForward(toClient:))
            }
        }
    }

    private static func pump(
        _ from: Int32, _ to: Int32, _ mayForward: (ArraySlice<UInt8>) -> Bool
    ) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0, mayForward(buffer[..<count]), write(to, buffer, count) == count else {
                break
            }
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
