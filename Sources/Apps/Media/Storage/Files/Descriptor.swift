import Glibc
import NIOPosix
import Synchronization

/// An open file or directory, closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// Opens a file or directory. Child processes don't inherit it. With `directory`, a symbolic
    /// link at the end of the path is not followed.
    convenience init(
        opening path: String, in directory: Descriptor? = nil, _ flags: Int32, mode: mode_t = 0o600,
        _ operation: StaticString
    ) throws(MediaStoreError) {
        let directory = directory?.number ?? AT_FDCWD
        let isRoot = directory == AT_FDCWD
        var number: Int32
        repeat {
            number = openat(
                directory, path, flags | O_CLOEXEC | (isRoot ? 0 : O_NOFOLLOW), mode)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw MediaStoreError(errno: errno, operation) }
        self.init(number)
    }

    deinit { close(number) }

    func status() throws(MediaStoreError) -> stat {
        var status = stat()
        try check(fstat(number, &status), "stat")
        return status
    }

    /// Makes the file's data, or the directory's names, survive a power cut.
    func sync() throws(MediaStoreError) { try check(fsync(number), "fsync") }

    /// Waits for the lock and holds it while `body` runs.
    func locked<Value>(
        _ kind: Int32, _ body: () throws(MediaStoreError) -> Value
    ) throws(MediaStoreError) -> Value {
        var outcome: Int32
        repeat { outcome = flock(number, kind) } while outcome != 0 && errno == EINTR
        try check(outcome, "flock")
        defer { flock(number, LOCK_UN) }
        return try body()
    }

    /// The names in a directory, without `.` and `..`, in no order.
    func names() throws(MediaStoreError) -> [String] {
        let copy = try Descriptor(opening: ".", in: self, O_RDONLY | O_DIRECTORY, "open")
        let owned = dup(copy.number)
        guard owned >= 0, let stream = fdopendir(owned) else {
            throw MediaStoreError(errno: errno, "readdir")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw MediaStoreError(errno: errno, "readdir") }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }
}

/// Throws the error in `errno(3)` unless a system call returned 0.
func check(_ outcome: Int32, _ operation: StaticString) throws(MediaStoreError) {
    guard outcome == 0 else { throw MediaStoreError(errno: errno, operation) }
}

extension MediaStoreError {
    init(errno: Int32, _ operation: StaticString) {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        default: self = .disk(operation: "\(operation)", errno: errno)
        }
    }
}

/// A few threads that may block on the disk, so that event loops and Swift's own threads don't.
final class DiskThreads: Sendable {
    private let pool: NIOThreadPool

    init(count: Int) {
        precondition(count > 0, "BUG: count=\(count)")
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs `body` on one of the threads, even if the task is cancelled, so that cleanup always
    /// runs.
    ///
    /// - Throws: what `body` throws; `.ended` after ``shutdown()``.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value {
        let outcome: Result<Value, MediaStoreError> = await withCheckedContinuation { waiter in
            pool.submit { state in
                guard case .active = state else {
                    waiter.resume(returning: .failure(.ended))
                    return
                }
                waiter.resume(returning: Result { () throws(MediaStoreError) in try body() })
            }
        }
        return try outcome.get()
    }

    func shutdown() async { try? await pool.shutdownGracefully() }
}

/// The free space of a file system, read at most once a second.
public final class FreeSpace: Sendable {
    private struct Look {
        let bytes: Int?
        let at: ContinuousClock.Instant
    }

    private static let lookInterval = Duration.seconds(1)

    private let read: @Sendable () -> Int?
    private let last = Mutex<Look?>(nil)

    /// - Parameter path: any directory on the file system.
    public convenience init(path: String) {
        self.init {
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { return nil }
            return Int(status.f_bavail) * Int(status.f_frsize)
        }
    }

    /// For tests.
    public init(_ read: @escaping @Sendable () -> Int?) { self.read = read }

    /// Bytes that an unprivileged process may write; nil when unknown.
    public var bytes: Int? {
        let now = ContinuousClock.now
        return last.withLock { last in
            if let last, now - last.at < Self.lookInterval { return last.bytes }
            let look = Look(bytes: read(), at: now)
            last = look
            return look.bytes
        }
    }
}
