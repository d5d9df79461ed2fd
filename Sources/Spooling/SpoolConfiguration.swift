/// Limits of a spool. Nothing in it grows past them.
public struct SpoolConfiguration: Sendable, Equatable {
    /// Bytes of a segment file, all set aside when it is made. Larger ones cost fewer files and
    /// more space that waits for its last record to be replayed. Default 32 MiB.
    public var segmentBytesMax = 32 << 20

    /// Bytes of all files on disk: segments, spares and segments that were moved aside. A segment
    /// that would exceed them is not made, and the spool is full. Default 4 GiB.
    public var bytesMax = 4 << 30

    /// Bytes that making a segment must leave free on the file system; they are for others, the
    /// database among them. Segments that exist are used up whatever is free. Default 512 MiB.
    public var freeBytesMin = 512 << 20

    /// Emptied segments that are kept to be written again, which is faster than making new ones
    /// and needs no space when there is none. Default 2.
    public var spareSegmentsMax = 2

    /// Bytes of one record before compression. What a corrupt file can make a reader allocate is
    /// bounded by it. Default 24 MiB.
    public var recordBytesMax = 24 << 20

    /// Compressed bytes that wait in memory for the next sync before they are written early.
    /// Default 1 MiB.
    public var bufferBytesMax = 1 << 20

    /// All defaults.
    public init() {}
}

extension SpoolConfiguration {
    /// The greatest record, in the worst case incompressible, fits into a segment.
    func check() {
        precondition(
            segmentBytesMax % WriteBuffer.pageBytes == 0 && segmentBytesMax > 0
                && segmentBytesMax <= SegmentImage.bytesMax,
            "BUG: segmentBytesMax=\(segmentBytesMax)")
        precondition(
            recordBytesMax >= 0 && recordBytesMax <= RecordHeader.payloadBytesMax
                && 2 * RecordHeader.byteCount
                    + PayloadCodec.frameBytesMax(payloadBytes: recordBytesMax) <= segmentBytesMax,
            "BUG: recordBytesMax=\(recordBytesMax)")
        precondition(
            bytesMax >= segmentBytesMax && freeBytesMin >= 0 && spareSegmentsMax >= 0
                && bufferBytesMax > 0, "BUG: \(self)")
    }
}
