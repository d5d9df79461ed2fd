internal import Glibc
public import SpoolLog

/// An open file of a ``ModelDisk``.
public final class ModelFile: DiskFile {
    private static let pageBytes = 4096

    private let disk: ModelDisk
    private let node: ModelNode
    private let name: String
    private var isOpen = true

    init(_ disk: ModelDisk, _ node: ModelNode, name: String) {
        self.disk = disk
        self.node = node
        self.name = name
    }

    func holds(_ node: ModelNode) -> Bool { self.node === node }

    /// The size that processes see.
    public func byteCount() throws(DiskError) -> Int {
        try disk.call(.byteCount, name)
        return node.seen.count
    }

    /// Any part of it may be durable from now on; all of it is after ``sync()``. A write that
    /// fails, or whose process ends in the middle, is visible up to the end of some page, as in a
    /// kernel.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        precondition(isOpen, "BUG: write to a closed file")
        do throws(DiskError) {
            try disk.call(.write, name)
        } catch {
            if !disk.wasDeadBefore {
                let end = offset + disk.dice.below(bytes.count + Self.pageBytes)
                let count = max(0, end / Self.pageBytes * Self.pageBytes - offset)
                node.write(bytes.prefix(count), at: offset)
            }
            throw error
        }
        node.write(bytes, at: offset)
    }

    /// Reads the bytes that processes see.
    public func read(
        into bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        precondition(isOpen, "BUG: read from a closed file")
        try disk.call(.read, name)
        if let bad = disk.unreadable[name], bad.overlaps(offset..<(offset + bytes.count)) {
            throw DiskError(.read, name, errno: disk.unreadableErrno)
        }
        guard offset < node.seen.count else { return 0 }
        let count = min(bytes.count, node.seen.count - offset)
        node.seen.withUnsafeBytes {
            bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
        }
        return count
    }

    /// A failure drops the unwritten bytes.
    public func sync() throws(DiskError) {
        precondition(isOpen, "BUG: sync of a closed file")
        do throws(DiskError) {
            try disk.call(.sync, name)
        } catch {
            if !disk.wasDeadBefore, !disk.isDead { node.failSync(&disk.dice) }
            throw error
        }
        node.sync()
    }

    /// A truncation that fails may have happened nevertheless.
    public func truncate(to bytes: Int) throws(DiskError) {
        precondition(isOpen, "BUG: truncation of a closed file")
        do throws(DiskError) {
            try disk.call(.truncate, name)
        } catch {
            if !disk.wasDeadBefore, disk.dice.below(2) == 0 { node.truncate(to: bytes) }
            throw error
        }
        node.truncate(to: bytes)
    }

    /// Any later use traps.
    public func close() { isOpen = false }
}
