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
        /// A whole header of a record whose frame is spoilt.
        case spoilt(RecordHeader)
        case unknownVersion(Int)
        case nothing
    }

    private func place(at offset: Int, number: UInt64) -> Place {
        let rest = UnsafeRawBufferPointer(rebasing: storage[offset..<count])
        switch RecordHeader.read(rest) {
        case .none: return .nothing
        case .unknownVersion(let version, let segment):
            return segment == number ? .unknownVersion(version) : .nothing
        case .header(let header):
            guard header.segment == number, Int(header.offset) == offset else { return .nothing }
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
        while offset < count {
            let found: RecordHeader
            switch place(at: offset, number: number) {
            case .record(let header) where Int(header.ordinal) > ordinal: found = header
            case .unknownVersion(let version):
                contents.unknownVersion = version
                return contents
            case .spoilt(let header):
                let behind = min(header.end, count)
                guard let next = search(from: behind, number: number, above: ordinal) else {
                    contents.tornBytes = behind - offset
                    return contents
                }
                found = next
            case .nothing, .record:
                guard let next = search(from: offset + 1, number: number, above: ordinal) else {
                    contents.tornBytes = tornBytes(at: offset)
                    return contents
                }
                found = next
            }
            if Int(found.offset) > offset { contents.gaps.append(offset..<Int(found.offset)) }
            contents.add(found)
            visit(found)
            ordinal = Int(found.ordinal)
            offset = found.end
        }
        return contents
    }

    private func search(from start: Int, number: UInt64, above ordinal: Int) -> RecordHeader? {
        let base = storage.baseAddress!
        var offset = start
        while offset < count,
            let hit = memchr(base + offset, RecordHeader.firstByte, count - offset)
        {
            offset = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
            if case .record(let header) = place(at: offset, number: number),
                Int(header.ordinal) > ordinal
            {
                return header
            }
            offset += 1
        }
        return nil
    }

    /// Behind the last record of a write there are zeros up to the end of the page.
    private func tornBytes(at offset: Int) -> Int {
        let page = WriteBuffer.pageBytes
        let pageEnd = min((offset + page - 1) / page * page, count)
        return storage[offset..<pageEnd].allSatisfy { $0 == 0 } ? 0 : pageEnd - offset
    }
}

extension SegmentContents {
    fileprivate mutating func add(_ header: RecordHeader) {
        records += 1
        tally.add(Int(header.units), of: header.kind)
        firstTime = firstTime ?? header.time
        lastTime = header.time
        end = header.end
        durableEnd = max(durableEnd, Int(header.durableEnd))
        previousSegment = header.previousSegment
        previousEnd = max(previousEnd, Int(header.previousEnd))
    }
}
