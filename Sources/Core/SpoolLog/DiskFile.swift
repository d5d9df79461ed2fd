import Files
internal import Glibc

/// An open file of a ``Disk``; the bytes of a segment.
public protocol DiskFile: AnyObject {
    /// The size of the file.
    func byteCount() throws(DiskError) -> Int

    /// Writes all of `bytes`. If it throws, any part of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError)

    /// Reads until `bytes` is full or the file ends; returns how many bytes it read.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int

    /// Makes all written bytes durable. After an error the state of all bytes since the last
    /// successful sync is unknown, and a retry that succeeds proves nothing.
    func sync() throws(DiskError)

    /// Cuts the file to its first `bytes` and frees the rest of its space. Those bytes never change
    /// by it; until the next ``sync()`` a crash may undo the cut.
    func truncate(to bytes: Int) throws(DiskError)

    /// Closes the file; it must not be used again.
    func close()
}
