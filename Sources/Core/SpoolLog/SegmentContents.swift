internal import Glibc

extension SegmentContents {
    mutating func add(_ header: RecordHeader) {
        records += 1
        tally.add(Int(header.units), of: header.kind)
        firstTime = firstTime ?? header.time
        end = header.end
        learn(header, behind: RecordHeader.byteCount)
    }
}

/// The result of scanning all bytes of a segment.
struct SegmentContents: Sendable, Equatable {
    /// Bytes of the file.
    var bytes = 0
    var records = 0
    var tally = UnitTally()
    /// Time of the first valid record.
    var firstTime: Int64?
    /// The end of the last valid record.
    var end = 0
    /// Records whose checksums are correct but which are not LZ4; filled by verification only.
    var undecodable: [Range<Int>] = []
    /// Bytes between valid records.
    var gaps: [Range<Int>] = []
    /// Bytes after `end` that look like the rest of a write; there may be more.
    var tail = 0..<0
    /// The starts of those gaps and tails whose first header was never written.
    var unwritten: Set<Int> = []
    /// Records up to here were durable, according to this segment's headers and marks.
    var durableEnd = 0
    /// The least size that the file had: there is room for one more header after each record.
    var bytesMin = RecordHeader.byteCount
    /// The previous segment and the end of its durable records, according to this segment's
    /// headers.
    var previousSegment: UInt64 = 0
    var previousEnd = 0
    /// Bytes that could not be read now. That says nothing about them.
    var unread: [Range<Int>] = []
    /// The first read error, if any.
    var readError: DiskError?
    /// The version of a whole record of another version.
    var unknownVersion: Int?

    /// The contents of a file of which nothing could be read.
    ///
    /// - Parameter bytes: its size as far as it is known.
    static func unread(bytes: Int, _ error: DiskError) -> SegmentContents {
        var contents = SegmentContents()
        contents.bytes = bytes
        contents.bytesMin = 0
        contents.unread = [0..<SegmentImage.bytesMax]
        contents.readError = error
        return contents
    }

    /// The places between valid records, and after the last one, where records may be that can't be
    /// read now. Nothing is judged of them.
    var holes: [Range<Int>] {
        let fileEnd = max(bytes, durableEnd, unread.last?.upperBound ?? 0)
        let places = end < fileEnd ? gaps + [end..<fileEnd] : gaps
        return places.filter { place in unread.contains { $0.overlaps(place) } }
    }

    /// Bytes that were durable and are not valid records any more.
    var damage: [Range<Int>] {
        var damage = gaps.filter { $0.lowerBound < durableEnd }
        if end < durableEnd { damage.append(end..<durableEnd) }
        return judged(damage) + undecodable
    }

    /// Bytes after the known durable end that are not valid records.
    private var torn: [Range<Int>] {
        judged((gaps + [tail]).filter { !$0.isEmpty && $0.lowerBound >= durableEnd })
    }

    private func judged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        guard !unread.isEmpty else { return ranges }
        let holes = holes
        return ranges.filter { range in !holes.contains { $0.overlaps(range) } }
    }

    /// Bytes of interrupted writes that were never promised.
    var bytesCut: Int {
        torn.filter { unwritten.contains($0.lowerBound) }.reduce(0) { $0 + $1.count }
    }

    /// Why the segment must not be reused. Its bytes alone decide, never a read that failed.
    var fault: SetAside.Reason? {
        let damage = damage
        if !damage.isEmpty { return .damaged(damage) }
        if bytes < bytesMin { return .cutShort(bytes: bytes) }
        let doubtful = torn.filter { !unwritten.contains($0.lowerBound) }
        return doubtful.isEmpty ? nil : .doubtful(doubtful)
    }

    /// Notes what a whole header says about the segment, the previous segment and the file's size.
    mutating func learn(_ header: RecordHeader, behind bytesBehind: Int) {
        durableEnd = max(durableEnd, Int(header.durableEnd))
        previousSegment = header.previousSegment
        previousEnd = max(previousEnd, Int(header.previousEnd))
        bytesMin = max(bytesMin, header.end + bytesBehind)
    }
}
