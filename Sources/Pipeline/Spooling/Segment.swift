/// A segment of an open spool: which of its records are durable, and which of those are released.
///
/// It keeps no list of its records, only a position and the records released after it.
final class Segment<File: DiskFile> {
    let number: UInt64
    /// The file's size in bytes.
    let bytes: Int
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
    /// Records that were read and are not released, by start. They stay pending even if the file is
    /// lost.
    private var handedOut: [Int: RecordHeader] = [:]

    /// A new segment.
    init(number: UInt64, bytes: Int, previous: (number: UInt64, end: Int), file: File) {
        self.number = number
        self.bytes = bytes
        self.previous = previous
        self.file = file
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
        for gap in contents.gaps { gaps[gap.lowerBound] = gap.upperBound }
        advance()
    }

    var name: String { SegmentName.segment(number).text }

    /// No record in it is to be replayed or synced.
    var isDrained: Bool { front >= durableEnd && pending.records == 0 }

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
        while let end = gaps[offset] ?? ahead[offset] { offset = end }
        return offset < durableEnd ? offset : nil
    }

    /// Notes that the bytes from `start` to the next known record can't be read.
    ///
    /// - Parameter readable: the headers that can still be found.
    /// - Returns: how many durable records are lost.
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

/// The names of a spool's files. The name alone says what a file is.
///
/// The number is that of the segment that the file is or last was. No file holds records of a
/// segment with a higher number than its name has.
enum SegmentName: Hashable, Sendable {
    /// `0000000000000007.lz4`
    case segment(UInt64)
    /// `spare-0000000000000007.lz4`: without records to replay.
    case spare(UInt64)
    /// `bad-0000000000000007.lz4`: for inspection.
    case setAside(UInt64)

    private static let suffix = ".lz4"
    private static let sparePrefix = "spare-"
    private static let setAsidePrefix = "bad-"
    private static let digits = 16

    /// Returns nil for the names of other files, which are left alone.
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

/// The report on one file of a spool, examined record by record.
public struct SegmentReport: Sendable, Equatable {
    /// What the file is, according to its name.
    public enum Kind: Sendable, Equatable {
        case segment
        /// Emptied, to be reused.
        case spare
        /// Moved aside because of damage.
        case setAside
    }

    /// The file's name.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// The file's size; more than its records need, because space is allocated in advance.
    public internal(set) var bytes = 0
    /// Valid records; none in a spare.
    public internal(set) var records = 0
    /// Units by kind, of all records whose checksums are correct.
    public internal(set) var tally = UnitTally()
    /// When the first record was received, in microseconds since 2000-01-01 UTC.
    public internal(set) var firstTime: Int64?
    /// The end of the last record.
    public internal(set) var end = 0
    /// Bytes of writes that a crash interrupted, or that another process has not finished.
    public internal(set) var bytesCut = 0
    /// The damage, if any.
    public internal(set) var fault: SetAside.Reason?
    /// Set when it has records of another version; later bytes were not examined.
    public internal(set) var unknownVersion: Int?

    /// Units of all kinds.
    public var units: Int { tally.total }

    init(_ name: SegmentName, _ kind: Kind) {
        self.name = name.text
        self.kind = kind
    }
}
