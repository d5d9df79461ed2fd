import Glibc

/// One process at a time in a data directory: an `flock(2)` that ends with the process, however
/// it ends. The file stays; only the lock on it counts.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `.dataDirectoryInUse` at once, without waiting.
    init(_ directory: String) throws(ClusterError) {
        let path = directory + "/sluice.lock"
        // Not inherited: a server that outlives us must not hold it.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .fileFailed(path: path, operation: "open", errno: errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            var text = [UInt8](repeating: 0, count: 16)
            let count = max(0, pread(descriptor, &text, text.count, 0))
            close(descriptor)
            guard failure == EWOULDBLOCK else {
                throw .fileFailed(path: path, operation: "lock", errno: failure)
            }
            throw .dataDirectoryInUse(
                path: directory,
                processID: Int32(String(decoding: text[..<count], as: UTF8.self)))
        }
        // For the message of the one who comes second.
        let owner = [UInt8](String(getpid()).utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, owner, owner.count, 0)
    }

    deinit { close(descriptor) }
}
