internal import Glibc

/// A real directory. One process at a time may write to it: an `flock(2)`, which the kernel
/// releases when the process ends.
public final class DirectoryDisk: Disk {
    private static let lockName = "spool.lock"

    private let path: String
    private let directory: Int32
    private let lock: Int32?

    /// Makes the directory, for the process's user only, if it does not exist, and locks it for as
    /// long as this object lives.
    ///
    /// - Throws: ``SpoolError/locked(path:processID:)``, without waiting, when another process has
    ///   the lock or this one has it already.
    public init(path: String) throws(SpoolError) {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw .disk(DiskError(.create, path, errno: errno))
        }
        directory = try Self.openDirectory(path)
        do {
            lock = try Self.takeLock(in: directory, path: path)
        } catch {
            _ = Glibc.close(directory)
            throw error
        }
        // The directory's own entry must survive a crash too.
        let parent = Glibc.open(path + "/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if parent >= 0 {
            _ = fsync(parent)
            _ = Glibc.close(parent)
        }
    }

    /// Opens a directory for reading, without a lock: another process may be writing there.
    public init(readingFrom path: String) throws(SpoolError) {
        self.path = path
        directory = try Self.openDirectory(path)
        lock = nil
    }

    /// Removes the directory of an unused spool: one that holds no file but the lock.
    public static func removeUnused(path: String) {
        guard let names = try? DirectoryDisk(path: path).names(), names.isEmpty else { return }
        unlink(path + "/" + lockName)
        rmdir(path)
    }

    deinit {
        if let lock { _ = Glibc.close(lock) }
        _ = Glibc.close(directory)
    }

    private static func openDirectory(_ path: String) throws(SpoolError) -> Int32 {
        let directory = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .disk(DiskError(.open, path, errno: errno)) }
        return directory
    }

    /// The file stays; only the lock on it counts. Its content is for a second process's error
    /// message.
    private static func takeLock(in directory: Int32, path: String) throws(SpoolError) -> Int32 {
        // Not inherited: a child process must not hold it longer than this process.
        let lock = openat(directory, lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .disk(DiskError(.open, lockName, errno: errno)) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            var text = [UInt8](repeating: 0, count: 16)
            let count = max(0, pread(lock, &text, text.count, 0))
            _ = Glibc.close(lock)
            guard failure == EWOULDBLOCK else {
                throw .disk(DiskError(.open, lockName, errno: failure))
            }
            throw .locked(
                path: path, processID: Int32(String(decoding: text[..<count], as: UTF8.self)))
        }
        let owner = [UInt8](String(getpid()).utf8)
        _ = ftruncate(lock, 0)
        _ = pwrite(lock, owner, owner.count, 0)
        return lock
    }

    /// By `readdir(3)`; without `.`, `..` and the lock.
    public func names() throws(DiskError) -> [String] {
        let descriptor = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(.list, ".", errno: errno) }
        guard let stream = fdopendir(descriptor) else {
            let failure = errno
            _ = Glibc.close(descriptor)
            throw DiskError(.list, ".", errno: failure)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw DiskError(.list, ".", errno: errno) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." && name != Self.lockName { names.append(name) }
        }
    }

    /// By `posix_fallocate(3)`; removes the file again when that fails.
    public func create(_ name: String, bytes: Int) throws(DiskError) -> DirectoryFile {
        let descriptor = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DiskError(.create, name, errno: errno) }
        var failure: Int32
        repeat {
            failure = posix_fallocate(descriptor, 0, off_t(bytes))
        } while failure == EINTR
        guard failure == 0 else {
            _ = Glibc.close(descriptor)
            unlinkat(directory, name, 0)
            throw DiskError(.create, name, errno: failure)
        }
        return DirectoryFile(descriptor: descriptor, name: name)
    }

    /// Read-only when the directory was opened without a lock.
    public func open(_ name: String) throws(DiskError) -> DirectoryFile {
        let mode = lock == nil ? O_RDONLY : O_RDWR
        let descriptor = openat(directory, name, mode | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(.open, name, errno: errno) }
        return DirectoryFile(descriptor: descriptor, name: name)
    }

    /// By `renameat(2)`; the lock keeps other processes from using the new name in between.
    public func rename(_ name: String, to other: String) throws(DiskError) {
        precondition(lock != nil, "BUG: a directory that is only read")
        guard faccessat(directory, other, F_OK, 0) != 0 else {
            throw DiskError(.rename, other, errno: EEXIST)
        }
        guard renameat(directory, name, directory, other) == 0 else {
            throw DiskError(.rename, name, errno: errno)
        }
    }

    /// By `unlinkat(2)`.
    public func remove(_ name: String) throws(DiskError) {
        precondition(lock != nil, "BUG: a directory that is only read")
        guard unlinkat(directory, name, 0) == 0 else {
            throw DiskError(.remove, name, errno: errno)
        }
    }

    /// By `stat(2)` of the path that it was opened with.
    public func checkPath() throws(DiskError) {
        var found = stat()
        guard stat(path, &found) == 0 else { throw DiskError(.find, ".", errno: errno) }
        try Self.check(found, is: directory, ".")
    }

    /// By `fstatat(2)`.
    public func checkName(_ name: String, of file: DirectoryFile) throws(DiskError) {
        var found = stat()
        guard fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw DiskError(.find, name, errno: errno)
        }
        try Self.check(found, is: file.descriptor, name)
    }

    private static func check(
        _ found: stat, is descriptor: Int32, _ name: String
    ) throws(DiskError) {
        var own = stat()
        guard fstat(descriptor, &own) == 0 else { throw DiskError(.find, name, errno: errno) }
        guard found.st_dev == own.st_dev, found.st_ino == own.st_ino else {
            throw DiskError(.find, name, errno: ESTALE)
        }
    }

    /// By `fsync(2)` of the directory.
    public func syncNames() throws(DiskError) {
        guard fsync(directory) == 0 else { throw DiskError(.syncNames, ".", errno: errno) }
    }

    /// By `fstatvfs(3)`: the bytes that an unprivileged process may use.
    public func freeBytes() throws(DiskError) -> Int {
        var status = statvfs()
        guard fstatvfs(directory, &status) == 0 else {
            throw DiskError(.freeBytes, ".", errno: errno)
        }
        let (bytes, isTooMany) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return isTooMany ? .max : bytes
    }
}

/// A file of a ``DirectoryDisk``, by its descriptor.
public final class DirectoryFile: DiskFile {
    let descriptor: Int32
    private let name: String
    private var isOpen = true

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close() }

    /// By `fstat(2)`.
    public func byteCount() throws(DiskError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw DiskError(.byteCount, name, errno: errno)
        }
        return Int(status.st_size)
    }

    /// By as many `pwrite(2)` calls as needed.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress! + done, bytes.count - done, offset + done)
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw DiskError(.write, name, errno: count == 0 ? EIO : errno)
            }
        }
    }

    /// By as many `pread(2)` calls as needed.
    public func read(
        into bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        var done = 0
        while done < bytes.count {
            let count = pread(
                descriptor, bytes.baseAddress! + done, bytes.count - done, offset + done)
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw DiskError(.read, name, errno: errno)
            }
        }
        return done
    }

    /// By `fdatasync(2)`.
    public func sync() throws(DiskError) {
        guard fdatasync(descriptor) == 0 else { throw DiskError(.sync, name, errno: errno) }
    }

    /// By `ftruncate(2)`.
    public func truncate(to bytes: Int) throws(DiskError) {
        guard ftruncate(descriptor, off_t(bytes)) == 0 else {
            throw DiskError(.truncate, name, errno: errno)
        }
    }

    /// Closes the descriptor, once.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        _ = Glibc.close(descriptor)
    }
}
