import Glibc

/// An open file or directory, closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// Not inherited by child processes, and never through a symbolic link at the path's end.
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

    /// What was written to the file, or which names the directory has, survives a power cut.
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

    /// Without `.` and `..`, in no order.
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

/// Throws what a system call that returns -1 left in `errno(3)`.
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
