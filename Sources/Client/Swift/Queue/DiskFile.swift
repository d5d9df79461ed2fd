import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// An open file. It is closed, and its lock released, with the last reference.
final class DiskFile: Sendable {
    /// How a file may be locked against other open files, of this process too.
    enum Lock {
        case exclusive
        case shared
    }

    private let descriptor: Int32
    private let path: String

    /// - Parameter makes: creates the file if it is missing.
    init(_ path: String, makes: Bool = false) throws {
        let flags = (makes ? O_RDWR | O_CREAT : O_RDWR) | O_CLOEXEC
        self.path = path
        descriptor = try Self.retried("open", path) { open(path, flags, 0o600) }
    }

    deinit {
        _ = close(descriptor)
    }

    /// Makes names that were created or replaced in a directory survive a power failure.
    static func synchronizeDirectory(_ path: String) throws {
        let directory = try retried("open", path) { open(path, O_RDONLY | O_CLOEXEC) }
        defer { _ = close(directory) }
        _ = try retried("fsync", path) { fsync(directory) }
    }

    /// - Parameter waits: otherwise a file that others have locked is not waited for.
    /// - Returns: whether the lock is held now.
    func lock(_ kind: Lock, waits: Bool) throws -> Bool {
        let operation = (kind == .exclusive ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB)
        do {
            _ = try Self.retried("flock", path) { flock(descriptor, operation) }
            return true
        } catch QueueError.disk(_, _, EWOULDBLOCK) {
            return false
        }
    }

    /// The file's size in bytes.
    func size() throws -> Int {
        Int(try Self.retried("lseek", path) { lseek(descriptor, 0, SEEK_END) })
    }

    /// Gives a file another name; a file of that name is replaced.
    static func move(_ path: String, to other: String) throws {
        _ = try retried("rename", path) { rename(path, other) }
    }

    /// Removes a file if it is there.
    static func remove(_ path: String) throws {
        do {
            _ = try retried("unlink", path) { unlink(path) }
        } catch QueueError.disk(_, _, ENOENT) {}
    }

    /// At most `count` bytes from `offset`; fewer at the end of the file.
    func read(from offset: Int, count: Int) throws -> Data {
        var bytes = Data(count: count)
        var filled = 0
        while filled < count {
            let got = try bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return try Self.retried("read", path) {
                    pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                }
            }
            if got == 0 { break }
            filled += got
        }
        return bytes.prefix(filled)
    }

    /// Writes behind the first `size` bytes and waits until all are on the disk. If that fails, the
    /// file is cut back to `size`.
    func append(_ data: Data, after size: Int) throws {
        do {
            var written = 0
            while written < data.count {
                written += try data.withUnsafeBytes { buffer in
                    let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                    return try Self.retried("write", path) {
                        pwrite(descriptor, rest.baseAddress, rest.count, off_t(size + written))
                    }
                }
            }
            try synchronize()
        } catch {
            try? truncate(to: size)
            throw error
        }
    }

    /// Removes what follows the first `size` bytes.
    func truncate(to size: Int) throws {
        _ = try Self.retried("ftruncate", path) { ftruncate(descriptor, off_t(size)) }
    }

    private func synchronize() throws {
        #if canImport(Darwin)
        // There `fsync` leaves the bytes in the drive's own memory. Not every file system can do it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try Self.retried("fsync", path) { fsync(descriptor) }
    }

    private static func retried<Number: BinaryInteger>(
        _ operation: String, _ path: String, _ call: () -> Number
    ) throws -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR {
                throw QueueError.disk(operation: operation, path: path, errno: errno)
            }
        }
    }
}
