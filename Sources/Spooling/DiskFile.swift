/// An open file of a ``Disk``; the bytes of a segment.
public protocol DiskFile: AnyObject {
    /// The size of the file.
    func byteCount() throws(DiskError) -> Int

    /// Writes all of `bytes`, or throws and may have written any part of them.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError)

    /// Reads until `bytes` is full or the file ends; returns how many bytes it read.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int

    /// Makes all that was written durable. After an error nothing is known of what was written
    /// since the last success, and a second try that succeeds proves nothing.
    func sync() throws(DiskError)

    /// Cuts the file off behind its first `bytes` and gives the space back. What stands in front of
    /// that stays as it is whatever happens; until the next ``sync()`` a crash may undo the cut.
    func truncate(to bytes: Int) throws(DiskError)

    /// Gives the file up; it is not used again.
    func close()
}
