import Foundation
import Glibc

/// Memory that is free and that the machine really has.
enum FreeMemory {
    private static let blockBytes = 1 << 20

    /// Writes a file and removes it, so that whoever writes files next gets the pages that it had.
    ///
    /// The host of a virtual machine takes back what is free for a while and makes each page anew when
    /// it is used again, at a tenth of the speed of writing to it. Without this, of two that write the
    /// same files the one that happens to get used memory would be several times as fast. It has to be a
    /// file: the kernel hands out last what a process gives back in one piece.
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
