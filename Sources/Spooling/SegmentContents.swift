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
    /// Bytes behind `end` that look like the rest of a write.
    var tornBytes = 0
    /// Up to here records were durable once, as records of this segment say.
    var durableEnd = 0
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

    /// Bytes that a crash cut off before they were promised.
    var bytesCut: Int {
        gaps.reduce(end < durableEnd ? 0 : tornBytes) {
            $0 + ($1.lowerBound < durableEnd ? 0 : $1.count)
        }
    }

    /// Why the segment is not to be used again.
    var fault: SetAside.Reason? {
        if let readError { return .unreadable(readError) }
        let damage = damage
        return damage.isEmpty ? nil : .damaged(damage)
    }
}
