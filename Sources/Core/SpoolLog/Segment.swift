/// A segment of an open spool: which of its records are durable, and which of those are released.
///
/// It keeps no list of its records, only a position and the records released after it.
final class Segment<File: DiskFile> {
    let number: UInt64
    /// The file's size in bytes.
    private(set) var bytes: Int
    /// The previous segment and the end of its durable records, for the headers.
    private(set) var previous: (number: UInt64, end: Int)
    /// Open while it is written or read.
    var file: File?

    /// The end of the last durable record.
    private(set) var durableEnd: Int
    /// The end of the last record, durable or not.
    private(set) var end: Int
    /// Records appended since the last sync, and their units.
    private(set) var pending = (records: 0, tally: UnitTally())
    /// Durable records that are not released, and their units.
    private(set) var waiting: (records: Int, tally: UnitTally)
    private var ordinal: UInt32 = 0

    /// A sync failed: further writes to the file can't be trusted.
    var isSuspect = false
    /// Why it is moved aside once it has no records to replay.
    var fault: SetAside.Reason?

    /// All records before this position are released or lost.
    private var front = 0
    /// Released records after ``front``: their starts and ends.
    private var ahead: [Int: Int] = [:]
    /// Ranges without records: their starts and ends.
    private var gaps: [Int: Int] = [:]
    /// Ranges that could not be read, by start. They are skipped until they are read again.
    private var hidden: [Int: Hidden] = [:]
    /// Why the last read of a hidden range failed; nil: its bytes were read and are no record.
    private(set) var readError: DiskError?
    /// Records that were read and are not released, by start. They stay pending even if the file is
    /// lost.
    private var handedOut: [Int: RecordHeader] = [:]
    /// It was found when the spool was opened.
    private let isFound: Bool
    /// Records up to here were durable, according to the next segment.
    private var promisedEnd = 0

    private struct Hidden {
        let end: Int
        /// Its records count as ``Segment/waiting``: they were readable before.
        let isCounted: Bool
    }

    /// A new segment.
    init(number: UInt64, bytes: Int, previous: (number: UInt64, end: Int), file: File) {
        self.number = number
        self.bytes = bytes
        self.previous = previous
        self.file = file
        isFound = false
        durableEnd = 0
        end = 0
        waiting = (0, UnitTally())
    }

    /// A segment that was found when the spool was opened; it is only read.
    init(number: UInt64, contents: SegmentContents) {
        self.number = number
        bytes = contents.bytes
        previous = (0, 0)
        durableEnd = contents.end
        end = contents.end
        waiting = (contents.records, contents.tally)
        fault = contents.fault
        isFound = true
        promisedEnd = contents.durableEnd
        readError = contents.readError
        for hole in contents.holes {
            hidden[hole.lowerBound] = Hidden(end: hole.upperBound, isCounted: false)
        }
        for gap in contents.gaps where hidden[gap.lowerBound] == nil {
            gaps[gap.lowerBound] = gap.upperBound
        }
        advance()
    }

    var name: String { SegmentName.segment(number).text }

    /// A part of it could not be read and is to be read again.
    var isUnread: Bool { !hidden.isEmpty }

    /// No record in it is to be replayed, synced or read again.
    var isDrained: Bool { front >= durableEnd && pending.records == 0 && !isUnread }

    /// Where the next reading of the whole file may end: a file that is written has bytes of its
    /// earlier use behind its durable records.
    var imageEnd: Int { isFound ? SegmentImage.bytesMax : durableEnd }

    /// Whether a record of so many bytes and the mark after it fit.
    func hasRoom(for bytes: Int) -> Bool { end + bytes + RecordHeader.byteCount <= self.bytes }

    /// Writes a mark where the durable records end, for the next process that opens the file. If
    /// the mark can't be written or is lost in a power failure, that process knows less.
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

    /// The header of a record that is appended next.
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

    /// - Parameter before: the previous segment, if it was written since the last sync too.
    func synced(before: Segment<File>?) {
        if let before, before.number == previous.number { previous.end = before.durableEnd }
        durableEnd = end
        waiting.records += pending.records
        waiting.tally += pending.tally
        pending = (0, UnitTally())
        mark()
    }

    /// Forgets records that are not durable; nothing may be appended after that.
    func abandon() {
        ordinal -= UInt32(pending.records)
        end = durableEnd
        pending = (0, UnitTally())
        isSuspect = true
        mark()
    }

    /// Releases a record; returns false when it was released or lost before.
    func release(_ id: RecordID) -> Bool {
        let start = Int(id.offset)
        guard start >= front, ahead[start] == nil, gaps[start] == nil else { return false }
        precondition(Int(id.end) <= durableEnd, "BUG: end=\(id.end) durable=\(durableEnd)")
        ahead[start] = Int(id.end)
        handedOut[start] = nil
        waiting.records -= 1
        waiting.tally.add(-Int(id.units), of: id.kind)
        precondition(waiting.records >= 0, "BUG: waiting=\(waiting)")
        advance()
        return true
    }

    /// Notes that a record was read.
    func handOut(_ header: RecordHeader) { handedOut[Int(header.offset)] = header }

    /// The start of the first record from `offset` on that is durable and not released.
    func place(from offset: Int) -> Int? {
        var offset = max(offset, front)
        while let end = gaps[offset] ?? ahead[offset] ?? hidden[offset]?.end { offset = end }
        return offset < durableEnd ? offset : nil
    }

    /// Skips a record that could not be read, until the segment is read again.
    ///
    /// - Parameters:
    ///   - end: the end of the record; nil: its header could not be read, so all that follows is
    ///     skipped, up to the next record that is known.
    ///   - error: nil: the bytes were read and are no record.
    func hide(from start: Int, to end: Int?, _ error: DiskError?) {
        precondition(start >= front && start < durableEnd, "BUG: start=\(start)")
        handedOut[start] = nil
        readError = error
        var limit = min(end ?? durableEnd, durableEnd)
        for starts in [
            gaps.keys.min(after: start), ahead.keys.min(after: start),
            hidden.keys.min(after: start), handedOut.keys.min(after: start),
        ] {
            limit = min(limit, starts ?? limit)
        }
        hidden[start] = Hidden(end: limit, isCounted: true)
    }

    /// What a further reading of the segment has changed.
    struct Review {
        /// Records that can be read now, and could not before.
        var records: [RecordID] = []
        /// The units of those that were not counted before.
        var tally = UnitTally()
        /// Durable records whose bytes are lost.
        var lost = 0
    }

    /// Takes what was found in the hidden ranges. What is no record there is judged only when every
    /// byte could be read.
    ///
    /// - Parameters:
    ///   - contents: of a scan of the file up to ``imageEnd``.
    ///   - headers: the valid records, in order.
    func review(_ contents: SegmentContents, _ headers: [RecordHeader]) -> Review {
        var review = Review()
        let ranges = hidden.sorted { $0.key < $1.key }
        hidden = [:]
        readError = contents.readError
        if isFound { bytes = contents.bytes }
        var damage: [Range<Int>] = []
        let seen = Set(headers.map(\.offset))
        let known = headers + handedOut.values.filter { !seen.contains($0.offset) }
        for (start, range) in ranges {
            var place = start
            func leave(until end: Int) {
                guard place < end else { return }
                if contents.unread.isEmpty {
                    gaps[place] = end
                    if range.isCounted { damage.append(place..<end) }
                } else {
                    hidden[place] = Hidden(end: end, isCounted: range.isCounted)
                }
            }
            let inside = known.filter { start..<range.end ~= Int($0.offset) }
            for header in inside.sorted(by: { $0.offset < $1.offset }) {
                leave(until: Int(header.offset))
                place = header.end
                review.records.append(header.id)
                if range.isCounted { continue }
                review.tally.add(Int(header.units), of: header.kind)
                waiting.records += 1
                waiting.tally.add(Int(header.units), of: header.kind)
                end = max(end, header.end)
                durableEnd = max(durableEnd, header.end)
            }
            leave(until: range.end)
        }
        if contents.unread.isEmpty {
            if isFound {
                var contents = contents
                contents.durableEnd = max(contents.durableEnd, promisedEnd)
                fault = fault ?? contents.fault
            }
            if !damage.isEmpty {
                damage += close(known)
                fault = fault ?? .damaged(damage)
                review.lost = recount(known)
            }
        }
        advance()
        return review
    }

    /// Skips for good whatever else is no record, so that the count agrees with what can be read.
    ///
    /// - Parameter known: all records that are left.
    /// - Returns: the ranges that are skipped now.
    private func close(_ known: [RecordHeader]) -> [Range<Int>] {
        let ends = Dictionary(known.map { (Int($0.offset), $0.end) }) { first, _ in first }
        let starts = (Array(ends.keys) + gaps.keys + ahead.keys).sorted()
        var ranges: [Range<Int>] = []
        var place = front
        while place < durableEnd {
            if let end = gaps[place] ?? ahead[place] ?? ends[place] {
                place = end
                continue
            }
            let end = min(starts.first { $0 > place } ?? durableEnd, durableEnd)
            gaps[place] = end
            ranges.append(place..<end)
            place = end
        }
        return ranges
    }

    /// Counts the durable records that are left; returns how many are lost.
    private func recount(_ known: [RecordHeader]) -> Int {
        let left = known.filter {
            let start = Int($0.offset)
            return start >= front && ahead[start] == nil && $0.end <= durableEnd
                && !gaps.contains { $0.key..<$0.value ~= start }
        }
        let lost = waiting.records - left.count
        precondition(lost >= 0, "BUG: waiting=\(waiting) left=\(left.count)")
        waiting = (left.count, UnitTally())
        for header in left { waiting.tally.add(Int(header.units), of: header.kind) }
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

extension Sequence<Int> {
    /// The smallest element above `bound`.
    func min(after bound: Int) -> Int? { filter { $0 > bound }.min() }
}
