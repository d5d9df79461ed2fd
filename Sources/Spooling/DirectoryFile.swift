internal import Glibc

/// A file of a ``DirectoryDisk``, by way of its descriptor.
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

    /// By as many `pwrite(2)` as it takes.
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

    /// By as many `pread(2)` as it takes.
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
