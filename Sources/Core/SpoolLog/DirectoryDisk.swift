internal import Files
internal import Glibc

typealias Descriptor = Files.Descriptor<DiskError>

/// A real directory. One process at a time may write to it: an `flock(2)`, which the kernel
/// releases when the process ends.
public final class DirectoryDisk: Disk {
    private static let lockName = "spool.lock"

    private let path: String
    private let directory: Descriptor
    /// The file stays; only the lock on it counts. Not inherited: a child process must not hold it
    /// longer than this process.
    private let lock: Descriptor?

    /// Makes the directory, for the process's user only, if it does not exist, and locks it for as
    /// long as this object lives.
    ///
    /// - Throws: ``SpoolError/locked(path:processID:)``, without waiting, when another process has
    ///   the lock or this one has it already.
    public init(path: String) throws(SpoolError) {
        self.path = path
        let holder: LockHolder?
        do throws(DiskError) {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw DiskError(.create, path, errno: errno)
            }
            directory = try Descriptor(path, O_RDONLY | O_DIRECTORY)
            let lock = try Descriptor(Self.lockName, in: directory, O_RDWR | O_CREAT)
            holder = try lock.claim()
            self.lock = lock
        } catch {
            throw .disk(error)
        }
        if let holder { throw .locked(path: path, processID: holder.processID) }
        // The directory's own entry must survive a crash too.
        NameSync.parent(of: path)
    }

    /// Opens a directory for reading, without a lock: another process may be writing there.
    public init(readingFrom path: String) throws(SpoolError) {
        self.path = path
        do throws(DiskError) {
            directory = try Descriptor(path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw .disk(error)
        }
        lock = nil
    }

    /// Removes the directory of an unused spool: one that holds no file but the lock.
    public static func removeUnused(path: String) {
        guard let names = try? DirectoryDisk(path: path).names(), names.isEmpty else { return }
        unlink(path + "/" + lockName)
        rmdir(path)
    }

    /// By `readdir(3)`; without `.`, `..` and the lock.
    public func names() throws(DiskError) -> [String] {
        do throws(DiskError) {
            return try directory.names().filter { $0 != Self.lockName }
        } catch {
            throw DiskError(.list, ".", errno: error.errno)
        }
    }

    /// By `posix_fallocate(3)`; removes the file again when that fails.
    public func create(_ name: String, bytes: Int) throws(DiskError) -> DirectoryFile {
        let file = try Descriptor(name, in: directory, O_RDWR | O_CREAT | O_EXCL)
        var failure: Int32
        repeat {
            failure = posix_fallocate(file.number, 0, off_t(bytes))
        } while failure == EINTR
        guard failure == 0 else {
            unlinkat(directory.number, name, 0)
            throw DiskError(.create, name, errno: failure)
        }
        return DirectoryFile(file)
    }

    /// Read-only when the directory was opened without a lock.
    public func open(_ name: String) throws(DiskError) -> DirectoryFile {
        DirectoryFile(try Descriptor(name, in: directory, lock == nil ? O_RDONLY : O_RDWR))
    }

    /// By `renameat(2)`; the lock keeps other processes from using the new name in between.
    public func rename(_ name: String, to other: String) throws(DiskError) {
        precondition(lock != nil, "BUG: a directory that is only read")
        let isThere = faccessat(directory.number, other, F_OK, 0) == 0
        guard !isThere, errno == ENOENT else {
            throw DiskError(.rename, other, errno: isThere ? EEXIST : errno)
        }
        guard renameat(directory.number, name, directory.number, other) == 0 else {
            throw DiskError(.rename, name, errno: errno)
        }
    }

    /// By `unlinkat(2)`.
    public func remove(_ name: String) throws(DiskError) {
        precondition(lock != nil, "BUG: a directory that is only read")
        guard unlinkat(directory.number, name, 0) == 0 else {
            throw DiskError(.remove, name, errno: errno)
        }
    }

    /// By `stat(2)` of the path that it was opened with.
    public func checkPath() throws(DiskError) {
        var found = stat()
        guard stat(path, &found) == 0 else { throw DiskError(.find, ".", errno: errno) }
        try Self.check(found, is: directory.number, ".")
    }

    /// By `fstatat(2)`.
    public func checkName(_ name: String, of file: DirectoryFile) throws(DiskError) {
        var found = stat()
        guard fstatat(directory.number, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw DiskError(.find, name, errno: errno)
        }
        try Self.check(found, is: file.number, name)
    }

    private static func check(
        _ found: stat, is number: Int32, _ name: String
    ) throws(DiskError) {
        var own = stat()
        guard fstat(number, &own) == 0 else { throw DiskError(.find, name, errno: errno) }
        guard found.st_dev == own.st_dev, found.st_ino == own.st_ino else {
            throw DiskError(.find, name, errno: ESTALE)
        }
    }

    /// By `fsync(2)` of the directory.
    public func syncNames() throws(DiskError) {
        guard fsync(directory.number) == 0 else { throw DiskError(.syncNames, ".", errno: errno) }
    }

    /// By `fstatvfs(3)`: the bytes that an unprivileged process may use.
    public func freeBytes() throws(DiskError) -> Int {
        var status = statvfs()
        guard fstatvfs(directory.number, &status) == 0 else {
            throw DiskError(.freeBytes, ".", errno: errno)
        }
        let (bytes, isTooMany) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return isTooMany ? .max : bytes
    }
}
