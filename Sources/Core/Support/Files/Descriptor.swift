public import Glibc

/// An open file or directory, closed with its last reference. Child processes don't inherit it.
///
/// Opening, reading, writing and locking continue after a signal. swift-system (1.8.1) has no
/// `openat(2)`, `fsync(2)` or `flock(2)`, apart from requests to an io_uring.
public final class Descriptor<Failure: FileError>: Sendable {
    /// The file descriptor; negative: none.
    public let number: Int32
    /// The path that it was opened with.
    public let path: String

    /// Takes over an open file descriptor.
    public init(_ number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    /// Opens a file or directory. With `directory`, a symbolic link at the end of the path is not
    /// followed.
    public init(
        _ path: String, in directory: Descriptor? = nil, _ flags: Int32, mode: mode_t = 0o600
    ) throws(Failure) {
        let flags = flags | O_CLOEXEC | (directory == nil ? 0 : O_NOFOLLOW)
        var number: Int32
        repeat {
            number = openat(directory?.number ?? AT_FDCWD, path, flags, mode)
        } while number < 0 && errno == EINTR
        guard number >= 0 else {
            let operation: FileFailure.Operation = flags & O_EXCL == 0 ? .open : .create
            throw Failure(FileFailure(operation, path, errno: errno))
        }
        self.number = number
        self.path = path
    }

    deinit { if number >= 0 { close(number) } }

    private func failure(_ operation: FileFailure.Operation, _ errno: Int32) -> Failure {
        Failure(FileFailure(operation, path, errno: errno))
    }

    /// Size, owner and dates.
    public func status() throws(Failure) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw failure(.status, errno) }
        return status
    }

    /// Reads until `bytes` is full or the file ends.
    ///
    /// - Parameter offset: nil: the file's position, which moves.
    /// - Returns: the number of bytes read.
    public func read(
        into bytes: UnsafeMutableRawBufferPointer, at offset: Int? = nil
    ) throws(Failure) -> Int {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let (place, rest) = (start + done, bytes.count - done)
            let count =
                offset.map { pread(number, place, rest, off_t($0 + done)) }
                ?? Glibc.read(number, place, rest)
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw failure(.read, errno) }
            done += max(0, count)
        }
        return done
    }

    /// Writes all bytes. If it throws, any part of them may have been written.
    ///
    /// - Parameter offset: nil: the file's position, which moves.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int? = nil) throws(Failure) {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let (place, rest) = (start + done, bytes.count - done)
            let count =
                offset.map { pwrite(number, place, rest, off_t($0 + done)) }
                ?? Glibc.write(number, place, rest)
            guard count != 0 else { throw failure(.write, EIO) }
            guard count > 0 || errno == EINTR else { throw failure(.write, errno) }
            done += max(0, count)
        }
    }

    /// Writes all bytes. If it throws, any part of them may have been written.
    public func write(_ bytes: RawSpan, at offset: Int? = nil) throws(Failure) {
        try bytes.withUnsafeBytes { bytes throws(Failure) in try write(bytes, at: offset) }
    }

    /// Makes the file's data, or the directory's names, survive a power cut.
    public func sync() throws(Failure) {
        guard fsync(number) == 0 else { throw failure(.sync, errno) }
    }

    /// Locks the file, by `flock(2)`, until it is closed.
    public func lock(_ kind: Int32) throws(Failure) {
        while flock(number, kind) != 0 {
            guard errno == EINTR else { throw failure(.lock, errno) }
        }
    }

    /// Waits for the lock and holds it while `body` runs.
    public func locked<Value>(
        _ kind: Int32, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try lock(kind)
        defer { flock(number, LOCK_UN) }
        return try body()
    }

    /// Locks the file for this process until it is closed, without waiting. The file then holds
    /// the process's id, for a second process's error message.
    ///
    /// - Returns: the process that has the lock; nil: this one.
    public func claim() throws(Failure) -> LockHolder? {
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw failure(.lock, errno) }
            var text = [UInt8](repeating: 0, count: 16)
            let count = max(0, pread(number, &text, text.count, 0))
            return LockHolder(processID: Int32(String(decoding: text[..<count], as: UTF8.self)))
        }
        let owner = [UInt8](String(getpid()).utf8)
        ftruncate(number, 0)
        pwrite(number, owner, owner.count, 0)
        return nil
    }

    /// The names in a directory, without `.` and `..`, in no order.
    public func names() throws(Failure) -> [String] {
        // The stream closes its descriptor, and has a position of its own.
        let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw failure(.open, errno) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw failure(.list, code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw failure(.list, errno) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }
}
