import Foundation

/// A small file system in memory, which can be filled completely and freed again.
final class TinyDisk {
    let path: String
    private let filler: String
    private let log: String

    private static let pieceBytesMax = 16 << 20
    private static let pageBytes = 4096

    /// Why a disk can't be mounted here; nil if it can. Only root may mount, and not every root
    /// may.
    static let obstacle: String? = {
        let place = NSTemporaryDirectory() + "sluice-chaos-probe-\(getpid())"
        guard mkdir(place, 0o755) == 0 else { return "no temporary directory can be made" }
        defer { rmdir(place) }
        guard let disk = try? TinyDisk(path: place, bytes: 1 << 20, log: place + ".out") else {
            unlink(place + ".out")
            return "mounting a tmpfs is not permitted here"
        }
        disk.remove()
        return nil
    }()

    /// - Parameter path: an empty directory.
    init(path: String, bytes: Int, log: String) throws(ChaosFailure) {
        self.path = path
        self.log = log
        filler = path + "/.filler"
        try Child.run(
            [
                "/usr/bin/env", "mount", "-t", "tmpfs", "-o", "size=\(bytes),mode=0755", "tmpfs",
                path,
            ],
            log: log)
        unlink(log)
    }

    /// Takes all free space, down to the last page.
    func fill() throws(ChaosFailure) {
        let file = open(filler, O_WRONLY | O_CREAT, 0o600)
        guard file >= 0 else { throw .systemCallFailed("open \(filler)", errno: errno) }
        defer { close(file) }
        // In pieces, because other processes may take space meanwhile.
        var piece = Self.pieceBytesMax
        var end = lseek(file, 0, SEEK_END)
        while piece >= Self.pageBytes {
            if posix_fallocate(file, end, off_t(piece)) == 0 {
                end += off_t(piece)
            } else {
                piece /= 2
            }
        }
    }

    /// Frees the space.
    func relieve() {
        unlink(filler)
    }

    func remove() {
        // Lazily, because processes that still have a file open are about to end.
        _ = try? Child.run(["/usr/bin/env", "umount", "--lazy", path], log: log)
        unlink(log)
    }
}
