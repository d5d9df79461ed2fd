import Foundation
import NIOCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A client with a plain blocking socket, for behaviour that no HTTP library allows.
final class TCPClient: @unchecked Sendable {
    // Guard of `@unchecked`: one thread sends and one receives; the two halves share nothing.

    struct Failed: Error { let call: String, code: Int32 }
    /// The server closed before the expected input arrived.
    struct Ended: Error { let received: String }

    private let descriptor: Int32
    private var pending: [UInt8] = []
    private let isClosed = Mutex(false)

    /// - Parameters:
    ///   - receiveBytes: the size of the kernel's receive buffer; nil: the default.
    ///   - patience: seconds after which a call fails.
    ///   - own: the client's own address.
    init(
        port: Int, receiveBytes: Int? = nil, patience: Double = 100, from own: String? = nil
    ) throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failed(call: "socket", code: errno) }
        if let receiveBytes { set(SO_RCVBUF, Int32(receiveBytes)) }
        var wait = timeval()
        wait.tv_sec = Int(patience)
        wait.tv_usec = numericCast(Int((patience - patience.rounded(.down)) * 1e6))
        set(SO_RCVTIMEO, wait)
        set(SO_SNDTIMEO, wait)
        if let own {
            let bound = try SocketAddress(ipAddress: own, port: 0).withSockAddr {
                bind(descriptor, $0, socklen_t($1))
            }
            guard bound == 0 else { throw Failed(call: "bind", code: errno) }
        }
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let result = address.withSockAddr { connect(descriptor, $0, socklen_t($1)) }
        guard result == 0 else { throw Failed(call: "connect", code: errno) }
    }

    deinit {
        close()
    }

    private func set<Value: BitwiseCopyable>(_ option: Int32, _ value: Value) {
        var value = value
        setsockopt(
            descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Blocks until the kernel has taken all bytes.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                Glibc.send(
                    descriptor, buffer.baseAddress! + sent, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
                #else
                Darwin.send(descriptor, buffer.baseAddress! + sent, bytes.count - sent, 0)
                #endif
            }
            guard count > 0 else { throw Failed(call: "send", code: errno) }
            sent += count
        }
    }

    /// The next bytes; empty when the server has closed its side.
    private func receive() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failed(call: "recv", code: errno) }
        return Array(buffer[..<count])
    }

    func receiveAnswer(isHead: Bool = false) throws -> ParsedAnswer {
        while true {
            var text = String(decoding: pending, as: UTF8.self)[...]
            if let answer = try ParsedAnswer.take(from: &text, isHead: isHead) {
                pending = Array(text.utf8)
                return answer
            }
            let bytes = try receive()
            if bytes.isEmpty { throw Ended(received: String(decoding: pending, as: UTF8.self)) }
            pending += bytes
        }
    }

    /// Receives that many bytes; fails with ``Ended`` when the server closes before.
    func receive(count: Int) throws -> [UInt8] {
        while pending.count < count {
            let bytes = try receive()
            if bytes.isEmpty { throw Ended(received: String(decoding: pending, as: UTF8.self)) }
            pending += bytes
        }
        defer { pending.removeFirst(count) }
        return Array(pending[..<count])
    }

    /// All answers until the server closes.
    ///
    /// - Parameter pause: seconds before each read, to act as a slow client.
    func receiveAll(pause: Double = 0) throws -> [ParsedAnswer] {
        while true {
            if pause > 0 { usleep(UInt32(pause * 1e6)) }
            let bytes = try receive()
            if bytes.isEmpty {
                return try ParsedAnswer.all(in: String(decoding: pending, as: UTF8.self))
            }
            pending += bytes
        }
    }

    /// Waits until the server closes; fails if more bytes arrive.
    func expectEnd() throws {
        let bytes = try receive()
        guard bytes.isEmpty && pending.isEmpty else {
            throw Ended(received: String(decoding: pending + bytes, as: UTF8.self))
        }
    }

    /// Closes the sending side.
    func closeSending() {
        #if canImport(Glibc)
        shutdown(descriptor, Int32(SHUT_WR))
        #else
        shutdown(descriptor, SHUT_WR)
        #endif
    }

    func close() {
        let wasClosed = isClosed.withLock { closed in
            defer { closed = true }
            return closed
        }
        guard !wasClosed else { return }
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
    }

    /// Resets the connection without a close.
    func reset() {
        set(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }
}

/// Runs a blocking function on a thread of its own, not on one of the few threads that run tasks.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
