/// A segment of an open spool: what of it is durable, and what of that is released.
///
/// It has no list of its records: a position, and what was released ahead of it.
final class Segment<File: DiskFile> {
    let number: UInt64
    /// Bytes of its file.
    let bytes: Int
    /// The segment written before it, and where its durable records end, for the headers.
    private(set) var previous: (number: UInt64, end: Int)
    /// Open while it is written or read.
    var file: File?

    /// Behind the last durable record.
    private(set) var durableEnd: Int
    /// Behind the last record, durable or not.
    private(set) var end: Int
    /// Records appended since the last sync, and their units.
    private(set) var pending = (records: 0, tally: UnitTally())
    /// Durable records that are not released, and their units.
    private(set) var waiting: (records: Int, tally: UnitTally)
    private var ordinal: UInt32 = 0

    /// A sync failed: what the file does with further bytes is anyone's guess.
    var isSuspect = false
    /// Why it is to be moved aside once nothing in it waits.
    var fault: SetAside.Reason?

    /// All in front of it is released or lost.
    private var front = 0
    /// Released records behind the front: their starts and ends.
    private var ahead: [Int: Int] = [:]
    /// Stretches without records: their starts and ends.
    private var gaps: [Int: Int] = [:]

    /// A new one.
    init(number: UInt64, bytes: Int, previous: (number: UInt64, end: Int), file: File) {
        self.number = number
        self.bytes = bytes
        self.previous = previous
        self.file = file
        durableEnd = 0
        end = 0
        waiting = (0, UnitTally())
    }

    /// One that was found; it is only read.
    init(number: UInt64, contents: SegmentContents) {
        self.number = number
        bytes = contents.bytes
        previous = (0, 0)
        durableEnd = contents.end
        end = contents.end
        waiting = (contents.records, contents.tally)
        fault = contents.fault
        for gap in contents.gaps { gaps[gap.lowerBound] = gap.upperBound }
        advance()
    }

    var name: String { SegmentName.segment(number).text }

    /// Nothing in it is of use any more.
    var isDrained: Bool { front >= durableEnd && pending.records == 0 }

    /// Whether a record of so many bytes fits, and the mark behind it.
    func hasRoom(for bytes: Int) -> Bool { end + bytes + RecordHeader.byteCount <= self.bytes }

    /// Says in the file where what is durable ends, for who opens it next. Where that can't be
    /// written, or is lost with the power, less is known then.
    func mark() {
        guard let file else { return }
        let mark = header(
            frameBytes: 0, payloadBytes: 0, units: 0, kind: .usual, time: 0, checksum: 0)
        precondition(end == durableEnd, "BUG: end=\(end) durable=\(durableEnd)")
        withUnsafeTemporaryAllocation(byteCount: RecordHeader.byteCount, alignment: 8) { bytes in
            mark.write(asMark: true, to: bytes)
            try? file.write(UnsafeRawBufferPointer(bytes), at: durableEnd)
        }
    }

    /// The header of a record that would be appended now.
    func header(
        frameBytes: Int, payloadBytes: Int, units: Int, kind: RecordKind, time: Int64,
        checksum: UInt32
    ) -> RecordHeader {
        RecordHeader(
            segment: number, ordinal: ordinal, offset: UInt32(end), durableEnd: UInt32(durableEnd),
            previousSegment: previous.number, previousEnd: UInt32(previous.end),
            frameBytes: UInt32(frameBytes), payloadBytes: UInt32(payloadBytes),
            units: UInt32(units), kind: kind, time: time, frameChecksum: checksum)
    }

    func appended(_ header: RecordHeader) {
        precondition(Int(header.offset) == end, "BUG: offset=\(header.offset) end=\(end)")
        end = header.end
        ordinal += 1
        pending.records += 1
        pending.tally.add(Int(header.units), of: header.kind)
    }

    /// - Parameter before: the segment before it, if that was written since the last sync too.
    func synced(before: Segment<File>?) {
        if let before, before.number == previous.number { previous.end = before.durableEnd }
        durableEnd = end
        waiting.records += pending.records
        waiting.tally += pending.tally
        pending = (0, UnitTally())
        mark()
    }

    /// Forgets what was not durable; nothing is appended to it after that.
    func abandon() {
        ordinal -= UInt32(pending.records)
        end = durableEnd
        pending = (0, UnitTally())
        isSuspect = true
        mark()
    }

    /// Whether the record had not been released before.
    func release(_ id: RecordID) -> Bool {
        let start = Int(id.offset)
        guard start >= front, ahead[start] == nil, gaps[start] == nil else { return false }
        precondition(Int(id.end) <= durableEnd, "BUG: end=\(id.end) durable=\(durableEnd)")
        ahead[start] = Int(id.end)
        waiting.records -= 1
        waiting.tally.add(-Int(id.units), of: id.kind)
        precondition(waiting.records >= 0, "BUG: waiting=\(waiting)")
        advance()
        return true
    }

    /// Where the first record at or behind `offset` stands that is durable and not released.
    func place(from offset: Int) -> Int? {
        var offset = max(offset, front)
        while let end = gaps[offset] ?? ahead[offset] { offset = end }
        return offset < durableEnd ? offset : nil
    }

    /// Takes note that what stands in `range` can't be read, and what can of the rest.
    ///
    /// Returns how many durable records that costs.
    func lose(_ range: Range<Int>, rest: [RecordHeader]) -> Int {
        gaps[range.lowerBound] = range.upperBound
        ahead = ahead.filter { !range.contains($0.key) }
        let left = rest.filter {
            let start = Int($0.offset)
            return start >= front && ahead[start] == nil && !range.contains(start)
                && $0.end <= durableEnd
        }
        let lost = waiting.records - left.count
        waiting = (left.count, UnitTally())
        for header in left { waiting.tally.add(Int(header.units), of: header.kind) }
        advance()
        return lost
    }

    private func advance() {
        while let end = gaps[front] {
            gaps[front] = nil
            front = end
        }
        while let end = ahead.removeValue(forKey: front) {
            front = end
            while let end = gaps.removeValue(forKey: front) { front = end }
        }
        if front >= durableEnd, pending.records == 0 { ahead = [:] }
    }
}
