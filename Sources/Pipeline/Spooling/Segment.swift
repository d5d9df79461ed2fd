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
    /// Records that were read and are not released, by their starts: they wait, whatever becomes of
    /// the file.
    private var handedOut: [Int: RecordHeader] = [:]

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
        handedOut[start] = nil
        waiting.records -= 1
        waiting.tally.add(-Int(id.units), of: id.kind)
        precondition(waiting.records >= 0, "BUG: waiting=\(waiting)")
        advance()
        return true
    }

    /// Its record was read.
    func handOut(_ header: RecordHeader) { handedOut[Int(header.offset)] = header }

    /// Where the first record at or behind `offset` stands that is durable and not released.
    func place(from offset: Int) -> Int? {
        var offset = max(offset, front)
        while let end = gaps[offset] ?? ahead[offset] { offset = end }
        return offset < durableEnd ? offset : nil
    }

    /// Takes note that what stands at `start`, up to the next record that is known, can't be read.
    ///
    /// - Parameter readable: the headers that can still be found.
    /// - Returns: how many durable records that costs.
    func lose(from start: Int, readable: [RecordHeader]) -> Int {
        handedOut[start] = nil
        let seen = Set(readable.map { Int($0.offset) })
        let known = readable + handedOut.values.filter { !seen.contains(Int($0.offset)) }
        let next = known.map { Int($0.offset) }.filter { $0 > start }.min()
        let range = start..<(next ?? durableEnd)
        gaps[range.lowerBound] = range.upperBound
        ahead = ahead.filter { !range.contains($0.key) }
        let left = known.filter {
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

/// The names of a spool's files: what a file is stands in its name alone.
///
/// The number is that of the segment which the file is or last was. No file holds records of a
/// segment with a higher number than its name says.
enum SegmentName: Hashable, Sendable {
    /// `0000000000000007.lz4`
    case segment(UInt64)
    /// `spare-0000000000000007.lz4`: nothing in it counts.
    case spare(UInt64)
    /// `bad-0000000000000007.lz4`: for inspection.
    case setAside(UInt64)

    private static let suffix = ".lz4"
    private static let sparePrefix = "spare-"
    private static let setAsidePrefix = "bad-"
    private static let digits = 16

    /// nil for names of others, which are left alone.
    init?(_ text: String) {
        guard text.hasSuffix(Self.suffix) else { return nil }
        let stem = text.dropLast(Self.suffix.count)
        let digits = stem.suffix(Self.digits)
        guard digits.utf8.count == Self.digits, digits.utf8.allSatisfy({ 48...57 ~= $0 }),
            let number = UInt64(digits)
        else { return nil }
        switch stem.dropLast(Self.digits) {
        case "": self = .segment(number)
        case Self.sparePrefix: self = .spare(number)
        case Self.setAsidePrefix: self = .setAside(number)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .segment(let number): Self.padded(number) + Self.suffix
        case .spare(let number): Self.sparePrefix + Self.padded(number) + Self.suffix
        case .setAside(let number): Self.setAsidePrefix + Self.padded(number) + Self.suffix
        }
    }

    var number: UInt64 {
        switch self {
        case .segment(let number), .spare(let number), .setAside(let number): number
        }
    }

    private static func padded(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// One file of a spool, looked at record by record.
public struct SegmentReport: Sendable, Equatable {
    /// What the file is, by its name.
    public enum Kind: Sendable, Equatable {
        case segment
        /// Emptied, to be used again.
        case spare
        /// Moved aside because of damage.
        case setAside
    }

    /// The file's name.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// Its size; more than its records take, as space is set aside beforehand.
    public internal(set) var bytes = 0
    /// Valid records; none in a spare.
    public internal(set) var records = 0
    /// Their units by kind: readings, and what else was appended.
    public internal(set) var tally = UnitTally()
    /// When the first of them was received, in microseconds since 2000-01-01 UTC.
    public internal(set) var firstTime: Int64?
    /// Where the last of them ends.
    public internal(set) var end = 0
    /// Bytes of writes that a crash cut off, or that are still under way in another process.
    public internal(set) var bytesCut = 0
    /// What is wrong with it, if anything is.
    public internal(set) var fault: SetAside.Reason?
    /// Set when it has records of a later version; nothing behind them was looked at.
    public internal(set) var unknownVersion: Int?

    /// Units of all kinds.
    public var units: Int { tally.total }

    init(_ name: SegmentName, _ kind: Kind) {
        self.name = name.text
        self.kind = kind
    }
}
