import Files
import Glibc

/// Lets one process at a time use a data directory: an `flock(2)`, which the kernel releases when
/// the process ends. The file stays; only the lock on it counts.
final class DirectoryLock: Sendable {
    /// Not inherited: a server that outlives us must not hold it.
    private let file: Descriptor<ClusterError>

    /// - Throws: `.dataDirectoryInUse` at once, without waiting.
    init(_ directory: String) throws(ClusterError) {
        file = try Descriptor(directory + "/sluice.lock", O_RDWR | O_CREAT, mode: 0o644)
        if let holder = try file.claim() {
            throw .dataDirectoryInUse(path: directory, processID: holder.processID)
        }
    }
}
