import Foundation
import Glibc

/// Free memory that the machine really has.
enum FreeMemory {
    private static let blockBytes = 1 << 20

    /// Writes a file and removes it, so that the next program that writes files gets its pages.
    ///
    /// The host of a virtual machine takes back pages that are free for a while. When they are
    /// used again, it makes each page anew, at a tenth of the speed of writing to it. Without
    /// this, of two programs that write the same files, the one that happens to get used pages
    /// would be several times as fast. It has to be a file: if a process frees memory in one
    /// piece, the kernel reuses that memory last.
    static func provide(bytes: Int, in directory: URL) {
        let path = directory.appendingPathComponent("ballast").path
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let block = [UInt8](repeating: 1, count: blockBytes)
        var left = bytes
        while left > 0, write(file, block, block.count) > 0 { left -= block.count }
        close(file)
        unlink(path)
    }
}
