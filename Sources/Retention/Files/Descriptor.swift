import Glibc

/// An open file that closes itself, with the calls that an archive makes.
final class Descriptor {
    private let descriptor: Int32
    let path: String

    init(_ path: String, _ flags: Int32) throws(ArchiveError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .disk(operation: "open", path: path, errno: errno)
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let count = Glibc.write(descriptor, start + done, bytes.count - done)
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw .disk(operation: "write", path: path, errno: count == 0 ? EIO : errno)
            }
        }
    }

    /// - Returns: 0 at the end.
    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        while true {
            let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw .disk(operation: "read", path: path, errno: errno)
            }
        }
    }

    func sync() throws(ArchiveError) {
        guard fsync(descriptor) == 0 else {
            throw .disk(operation: "sync", path: path, errno: errno)
        }
    }

    /// Until it is closed.
    ///
    /// - Returns: false where its file system knows no locks.
    /// - Throws: ``ArchiveError/busy``.
    func lock() throws(ArchiveError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        switch errno {
        case EWOULDBLOCK: throw .busy
        case ENOLCK, ENOSYS, EOPNOTSUPP: return false
        default: throw .disk(operation: "lock", path: path, errno: errno)
        }
    }

    static func text(ofErrno code: Int32) -> String { String(cString: strerror(code)) }
}
