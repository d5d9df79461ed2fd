internal import Glibc

/// All bytes of a segment in memory, to find records in them.
struct SegmentImage: ~Copyable {
    /// The file is read in pieces of this size. One that can't be read is read page by page.
    private static let pieceBytes = 64 * 1024
    /// How often a read is tried without a pause.
    private static let tries = 4
    /// After so many pieces that can't be read, a piece is tried once only, as a whole: on a dying
    /// disk each try may take seconds.
    private static let patientPieces = 8
    /// No segment is larger.
    static let bytesMax = 1 << 30

    private let storage: UnsafeMutableRawBufferPointer
    private let count: Int
    private var unread: [Range<Int>] = []
    private var readError: DiskError?

    /// Reads the file up to `end`. Bytes that can't be read are zeros, and are reported in
    /// ``SegmentContents/unread``.
    ///
    /// - Throws: when the file's size can't be read.
    init(_ file: some DiskFile, end: Int = bytesMax) throws(DiskError) {
        let bytes = min(try file.byteCount(), end, Self.bytesMax)
        storage = .allocate(byteCount: max(bytes, 1), alignment: 16)
        count = bytes
        memset(storage.baseAddress!, 0, storage.count)
        var failures = 0
        for start in stride(from: 0, to: bytes, by: Self.pieceBytes) {
            let range = start..<min(start + Self.pieceBytes, bytes)
            let piece = UnsafeMutableRawBufferPointer(rebasing: storage[range])
            let isPatient = failures < Self.patientPieces
            do {
                _ = try Self.read(file, piece, at: start, tries: isPatient ? Self.tries : 1)
            } catch {
                failures += 1
                readError = readError ?? error
                let step = isPatient ? WriteBuffer.pageBytes : Self.pieceBytes
                for place in stride(from: start, to: range.upperBound, by: step) {
                    let end = min(place + step, range.upperBound)
                    let page = UnsafeMutableRawBufferPointer(rebasing: storage[place..<end])
                    if isPatient, (try? Self.read(file, page, at: place, tries: 2)) != nil {
                        continue
                    }
                    memset(page.baseAddress!, 0, page.count)
                    unread.append(place..<end)
                }
            }
        }
        if unread.isEmpty { readError = nil }
    }

    deinit { storage.deallocate() }

    /// Reads, and tries again at once if that fails.
    static func read(
        _ file: some DiskFile, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int,
        tries: Int = tries
    ) throws(DiskError) -> Int {
        for _ in 1..<tries {
            do { return try file.read(into: bytes, at: offset) } catch { continue }
        }
        return try file.read(into: bytes, at: offset)
    }

    /// What may be found where a record is expected.
    private enum Place {
        case record(RecordHeader)
        /// A whole header whose frame is damaged or exceeds the file.
        case spoilt(RecordHeader)
        /// The end of the durable records: a later record would have overwritten the mark.
        case mark(RecordHeader)
        /// A header of an earlier use of the file: nothing was written over it.
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

    /// Visits all records of segment `number` in order, and notes the gaps between them.
    ///
    /// Records after damage are found by their headers; linear in the size of the file.
    func scan(number: UInt64, _ visit: (RecordHeader) -> Void = { _ in }) -> SegmentContents {
        var contents = SegmentContents()
        contents.bytes = count
        contents.unread = unread
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

    /// The first record from `start` on; notes the other headers it finds on the way.
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

    /// Whether no durable record was ever here: its header would still be here.
    private func isUnwritten(at offset: Int, number: UInt64) -> Bool {
        switch place(at: offset, number: number) {
        case .mark, .earlier: true
        case .record, .spoilt, .unknownVersion: false
        case .nothing:
            // The mark may be torn; a header would begin differently.
            offset + RecordHeader.byteCount <= count
                && (isZero(offset..<(offset + RecordHeader.byteCount))
                    || RecordHeader.beginsMark(
                        UnsafeRawBufferPointer(rebasing: storage[offset..<count])))
        }
    }

    private func isZero(_ range: Range<Int>) -> Bool { storage[range].allSatisfy { $0 == 0 } }

    /// After the last record of a write there are zeros up to the end of a page, and the mark.
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
