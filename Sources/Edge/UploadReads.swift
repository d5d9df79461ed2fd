import NIOCore

/// Gives a channel the memory for its next read: as much as its upload's place in ``UploadMemory``
/// allows at that moment.
struct UploadReads: RecvByteBufferAllocator {
    weak var pipe: BodyPipe?

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        pipe?.buffer(allocator) ?? allocator.buffer(capacity: UploadMemory.smallBytes)
    }

    /// The channel keeps none of them for the next read.
    func nextBufferSize() -> Int? { nil }

    /// The same, said in the other way that a channel asks.
    func record(actualReadBytes: Int) -> Bool { true }
}
