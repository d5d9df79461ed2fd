import Crypto
import Dispatch
import Foundation
import Glibc
import Synchronization

/// The raw limit of receiving files. The bytes go from the socket into SHA-256 and a file. The
/// file is synced and renamed, and then its directory is synced. No form is parsed, no key is
/// checked and no row is written.
///
/// There is a thread for each connection. The number of files that are received at once is
/// limited, as in Sluice.
final class BareReceiver: Sendable {
    let port: Int
    private let listener: Int32
    private let directory: String
    private let places = DispatchSemaphore(value: placesMax)
    private let isStopped = Atomic(false)

    private static let placesMax = 8
    private static let readBytes = 256 << 10

    /// - Parameter directory: an existing directory; the files stay there.
    init(directory: String) throws {
        self.directory = directory
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1024) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else {
            throw UploadClient.Failure(description: "bare receiver: errno \(errno)")
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { self.accept() }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        var number = 0
        while !isStopped.load(ordering: .relaxed) {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            number += 1
            let name = "\(directory)/bare-\(number)"
            Thread.detachNewThread {
                self.serve(connection, name)
                close(connection)
            }
        }
        close(listener)
    }

    /// Serves the requests of a connection one after another. A client that gets no answer fails.
    private func serve(_ connection: Int32, _ name: String) {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        var files = 0
        // Reads the head byte by byte, which takes some hundred calls per connection.
        while recv(connection, &byte, 1, 0) == 1 {
            head.append(byte)
            guard head.suffix(4).elementsEqual([13, 10, 13, 10]) else { continue }
            if let length = Self.contentLength(head) {
                files += 1
                guard store(connection, bytes: length, as: "\(name)-\(files)") else { return }
            }
            head.removeAll(keepingCapacity: true)
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nsuccess".utf8)
            guard Glibc.send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) > 0 else {
                return
            }
        }
    }

    private static func contentLength(_ head: [UInt8]) -> Int? {
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            guard line.hasPrefix("Content-Length: ") else { continue }
            return Int(line.dropFirst(16))
        }
        return nil
    }

    private func store(_ connection: Int32, bytes: Int, as name: String) -> Bool {
        places.wait()
        defer { places.signal() }
        let file = open(name + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.readBytes, alignment: 4096)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var left = bytes
        while left > 0 {
            let count = recv(connection, buffer.baseAddress, min(left, buffer.count), 0)
            guard count > 0 else { return false }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            guard write(file, buffer.baseAddress, count) == count else { return false }
            left -= count
        }
        _ = hash.finalize()
        guard fsync(file) == 0, rename(name + ".part", name) == 0 else { return false }
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(parent) }
        return fsync(parent) == 0
    }
}
