/// The limits of a spool. It never exceeds them.
public struct SpoolConfiguration: Sendable, Equatable {
    /// Bytes of a segment file, all allocated when it is made. Larger segments mean fewer files,
    /// but hold more space until the last record of a segment is replayed. Default 32 MiB.
    public var segmentBytesMax = 32 << 20

    /// Bytes of all files on disk: segments, spares and damaged segments. If a new segment would
    /// exceed them, it is not made and the spool is full. Default 4 GiB.
    public var bytesMax = 4 << 30

    /// Bytes that a new segment must leave free on the file system, for others such as the
    /// database. Existing segments are filled in any case. Default 512 MiB.
    public var freeBytesMin = 512 << 20

    /// Emptied segments that are kept for reuse, which is faster than making new ones and needs no
    /// free space. Default 2.
    public var spareSegmentsMax = 2

    /// Bytes of one record before compression. Default 24 MiB.
    public var recordBytesMax = 24 << 20

    /// Compressed bytes that are buffered for the next sync before they are written early. Default
    /// 1 MiB.
    public var bufferBytesMax = 1 << 20

    /// All defaults.
    public init() {}
}

extension SpoolConfiguration {
    /// Among others: the largest record, even if incompressible, fits into a segment.
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
