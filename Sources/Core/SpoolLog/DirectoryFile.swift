internal import Files
internal import Glibc

/// A file of a ``DirectoryDisk``, by its descriptor.
public final class DirectoryFile: DiskFile {
    private var file: Descriptor

    var number: Int32 { file.number }

    init(_ file: Descriptor) { self.file = file }

    /// By `fstat(2)`.
    public func byteCount() throws(DiskError) -> Int { Int(try file.status().st_size) }

    /// By as many `pwrite(2)` calls as needed.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        try file.write(bytes, at: offset)
    }

    /// By as many `pread(2)` calls as needed.
    public func read(
        into bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        try file.read(into: bytes, at: offset)
    }

    /// By `fdatasync(2)`.
    public func sync() throws(DiskError) {
        guard fdatasync(number) == 0 else { throw DiskError(.sync, file.path, errno: errno) }
    }

    /// By `ftruncate(2)`.
    public func truncate(to bytes: Int) throws(DiskError) {
        guard ftruncate(number, off_t(bytes)) == 0 else {
            throw DiskError(.truncate, file.path, errno: errno)
        }
    }

    /// Closes the descriptor, once. Later calls fail with `EBADF`.
    public func close() { file = Descriptor(-1, path: file.path) }
}
