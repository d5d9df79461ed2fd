internal import Glibc

/// All bytes of a segment in memory, to look for records in them.
struct SegmentImage: ~Copyable {
    /// Pieces in which it is read: one that can't be read costs no more than itself.
    private static let pieceBytes = 64 * 1024
    /// No segment is larger.
    static let bytesMax = 1 << 30

    private let storage: UnsafeMutableRawBufferPointer
    private let count: Int
    private var readError: DiskError?

    /// Reads the file up to `end`; what can't be read, tried twice, reads as zeros.
    ///
    /// - Throws: when not even its size can be told.
    init(_ file: some DiskFile, end: Int = bytesMax) throws(DiskError) {
        let bytes = min(try file.byteCount(), end, Self.bytesMax)
        storage = .allocate(byteCount: max(bytes, 1), alignment: 16)
        count = bytes
        memset(storage.baseAddress!, 0, storage.count)
        for start in stride(from: 0, to: bytes, by: Self.pieceBytes) {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: storage[start..<min(start + Self.pieceBytes, bytes)])
            do {
                _ = try Self.readTwice(file, piece, at: start)
            } catch {
                memset(piece.baseAddress!, 0, piece.count)
                readError = readError ?? error
            }
        }
    }

    deinit { storage.deallocate() }

    static func readTwice(
        _ file: some DiskFile, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        do {
            return try file.read(into: bytes, at: offset)
        } catch {
            return try file.read(into: bytes, at: offset)
        }
    }

    /// What may stand where a record is looked for.
    private enum Place {
        case record(RecordHeader)
        /// A whole header of a record whose frame is spoilt or runs past the end of the file.
        case spoilt(RecordHeader)
        /// Nothing that was durable once stands here or further on, or it would be in its place.
        case mark(RecordHeader)
        /// Of an earlier life of the file: nothing was written over it in this one.
        case earlier
        case unknownVersion(Int)
        case nothing
    }

    private func place(at offset: Int, number: UInt64) -> Place {
        let rest = UnsafeRawBufferPointer(rebasing: storage[offset..<count])
        switch RecordHeader.read(rest) {
        case .none: return .nothing
        case .unknownVersion(let version, let segment):
            return segment == number ? .unknownVersion(version) : .nothing
        case .header(let header), .mark(let header):
            guard Int(header.offset) == offset else { return .nothing }
            guard header.segment == number else { return .earlier }
            if case .mark = RecordHeader.read(rest) { return .mark(header) }
            guard header.end <= count, Checksum.of(frame(of: header)) == header.frameChecksum
            else { return .spoilt(header) }
            return .record(header)
        }
    }

    /// The LZ4 frame of a record that was found.
    func frame(of header: RecordHeader) -> UnsafeRawBufferPointer {
        let start = Int(header.offset) + RecordHeader.byteCount
        return UnsafeRawBufferPointer(rebasing: storage[start..<header.end])
    }

    /// Walks over all records of segment `number`, in order, and over what is between them.
    ///
    /// Records behind damage are found by their headers; linear in the size of the file.
    func scan(number: UInt64, _ visit: (RecordHeader) -> Void = { _ in }) -> SegmentContents {
        var contents = SegmentContents()
        contents.bytes = count
        contents.readError = readError
        var offset = 0
        var ordinal = -1
        while let found = search(from: offset, number: number, above: ordinal, &contents) {
            if Int(found.offset) > offset {
                contents.gaps.append(offset..<Int(found.offset))
                if isUnwritten(at: offset, number: number) { contents.unwritten.insert(offset) }
            }
            contents.add(found)
            visit(found)
            ordinal = Int(found.ordinal)
            offset = found.end
        }
        if contents.unknownVersion == nil { addTail(at: offset, number: number, &contents) }
        return contents
    }

    /// The first record from `start` on; takes note of what else it comes by.
    private func search(
        from start: Int, number: UInt64, above ordinal: Int, _ contents: inout SegmentContents
    ) -> RecordHeader? {
        let base = storage.baseAddress!
        var offset = start
        while offset < count,
            let hit = memchr(base + offset, RecordHeader.firstByte, count - offset)
        {
            offset = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
            switch place(at: offset, number: number) {
            case .record(let header) where Int(header.ordinal) > ordinal: return header
            case .spoilt(let header):
                contents.learn(header, behind: RecordHeader.byteCount)
                offset = header.end
            case .mark(let header):
                contents.learn(header, behind: 0)
                offset = header.end
            case .unknownVersion(let version):
                contents.unknownVersion = version
                return nil
            case .nothing, .earlier, .record: offset += 1
            }
        }
        return nil
    }

    /// Whether nothing that was durable ever stood here: its header would.
    private func isUnwritten(at offset: Int, number: UInt64) -> Bool {
        switch place(at: offset, number: number) {
        case .mark, .earlier: true
        case .record, .spoilt, .unknownVersion: false
        case .nothing:
            // The mark before the next write may be torn; a header of that would begin otherwise.
            offset + RecordHeader.byteCount <= count
                && (isZero(offset..<(offset + RecordHeader.byteCount))
                    || RecordHeader.beginsMark(
                        UnsafeRawBufferPointer(rebasing: storage[offset..<count])))
        }
    }

    private func isZero(_ range: Range<Int>) -> Bool { storage[range].allSatisfy { $0 == 0 } }

    /// Behind the last record of a write there are zeros up to the end of a page, and the mark.
    private func addTail(at offset: Int, number: UInt64, _ contents: inout SegmentContents) {
        let pageEnd = min(WriteBuffer.pages(offset + RecordHeader.byteCount), count)
        var end = pageEnd
        var start = offset
        switch place(at: offset, number: number) {
        case .earlier: return
        case .mark(let header): start = header.end
        case .spoilt(let header): end = min(header.end, count)
        case .record, .unknownVersion, .nothing: break
        }
        guard start < end, !isZero(start..<end) else { return }
        contents.tail = offset..<end
        if isUnwritten(at: offset, number: number) { contents.unwritten.insert(offset) }
    }
}

extension SegmentContents {
    fileprivate mutating func add(_ header: RecordHeader) {
        records += 1
        tally.add(Int(header.units), of: header.kind)
        firstTime = firstTime ?? header.time
        end = header.end
        learn(header, behind: RecordHeader.byteCount)
    }
}

/// What a look at all bytes of a segment brought to light.
struct SegmentContents: Sendable, Equatable {
    /// Bytes of the file.
    var bytes = 0
    var records = 0
    var tally = UnitTally()
    /// Time of the first valid record.
    var firstTime: Int64?
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
