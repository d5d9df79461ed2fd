/// What a look at all bytes of a segment brought to light.
struct SegmentContents: Sendable, Equatable {
    /// Bytes of the file.
    var bytes = 0
    var records = 0
    var tally = UnitTally()
    /// Times of the first and the last valid record.
    var firstTime: Int64?
    var lastTime: Int64?
    /// Behind the last valid record.
    var end = 0
    /// Records whose checksums are right and which are no LZ4; filled only where someone looked.
    var undecodable: [Range<Int>] = []
    /// Bytes between valid records that are none.
    var gaps: [Range<Int>] = []
    /// Bytes behind `end` that look like the rest of a write; they may be more.
    var tail = 0..<0
    /// Where the gaps and the tail start whose first header was never written.
    var unwritten: Set<Int> = []
    /// Up to here records were durable once, as records and the mark of this segment say.
    var durableEnd = 0
    /// Bytes that the file must have had, for there is room for one more header behind each record.
    var bytesMin = RecordHeader.byteCount
    /// The segment before, and up to where records of it were durable once, as records of this
    /// one say.
    var previousSegment: UInt64 = 0
    var previousEnd = 0
    /// The first error in reading it, if there was one.
    var readError: DiskError?
    /// The version of a record that is whole and not ours.
    var unknownVersion: Int?

    /// Bytes that were durable and are no valid records any more.
    var damage: [Range<Int>] {
        var damage = gaps.filter { $0.lowerBound < durableEnd }
        if end < durableEnd { damage.append(end..<durableEnd) }
        return damage + undecodable
    }

    /// What is no valid record behind all that is known to have been durable.
    private var torn: [Range<Int>] {
        (gaps + [tail]).filter { !$0.isEmpty && $0.lowerBound >= durableEnd }
    }

    /// Bytes that a crash cut off and that were never promised.
    var bytesCut: Int {
        torn.filter { unwritten.contains($0.lowerBound) }.reduce(0) { $0 + $1.count }
    }

    /// Why the segment is not to be used again.
    var fault: SetAside.Reason? {
        if let readError { return .unreadable(readError) }
        let damage = damage
        if !damage.isEmpty { return .damaged(damage) }
        if bytes < bytesMin { return .cutShort(bytes: bytes) }
        let doubtful = torn.filter { !unwritten.contains($0.lowerBound) }
        return doubtful.isEmpty ? nil : .doubtful(doubtful)
    }

    /// Takes up what a whole header says of more than its record.
    mutating func learn(_ header: RecordHeader, behind bytesBehind: Int) {
        durableEnd = max(durableEnd, Int(header.durableEnd))
        previousSegment = header.previousSegment
        previousEnd = max(previousEnd, Int(header.previousEnd))
        bytesMin = max(bytesMin, header.end + bytesBehind)
    }
}
