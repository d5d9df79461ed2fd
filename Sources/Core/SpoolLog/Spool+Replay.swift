internal import CLZ4
internal import Glibc

extension Spool {
    /// The oldest durable record after `id`, or of all, that is not released; nil when there is
    /// none.
    ///
    /// A record that can't be read now, or whose checksums are wrong, is skipped; its segment is
    /// then in ``unreadSegments``, and ``readAgain(_:)`` decides what became of it.
    ///
    /// - Throws: errors that do not concern the segment itself, such as a lack of descriptors.
    public func next(after id: RecordID?) throws(SpoolError) -> SpooledRecord? {
        precondition(isOpen, "BUG: the spool is closed")
        var number = id?.segment ?? 0
        var offset = id.map { Int($0.end) } ?? 0
        while let segment = segments.first(where: { $0.number >= number }) {
            if segment.number > number { offset = 0 }
            number = segment.number
            while let start = segment.place(from: offset) {
                switch read(segment, at: start) {
                case .record(let record): return record
                case .broken(let end): segment.hide(from: start, to: end, nil)
                case .unread(let error, let end):
                    if error.concernsProcess { throw .disk(error) }
                    segment.hide(from: start, to: end, error)
                }
                offset = start
            }
            if segment.isDrained, segment !== active { dispose(segment) }
            number += 1
            offset = 0
        }
        return nil
    }

    /// Reads a record again; nil when it was released, or when its checksums are wrong now or its
    /// file is gone, which ``readAgain(_:)`` looks into.
    ///
    /// - Throws: when it can't be read now. It stays as it is.
    public func record(_ id: RecordID) throws(SpoolError) -> SpooledRecord? {
        precondition(isOpen, "BUG: the spool is closed")
        guard let segment = segments.first(where: { $0.number == id.segment }),
            segment.place(from: Int(id.offset)) == Int(id.offset)
        else { return nil }
        switch read(segment, at: Int(id.offset)) {
        case .record(let record): return record
        case .broken:
            segment.hide(from: Int(id.offset), to: Int(id.end), nil)
            return nil
        case .unread(let error, _):
            guard error.isGone else { throw .disk(error) }
            segment.hide(from: Int(id.offset), to: Int(id.end), error)
            return nil
        }
    }

    /// Segments with records, or perhaps with records, that could not be read. They keep their
    /// place on disk, and their other records are returned as usual.
    public var unreadSegments: [UnreadSegment] {
        segments.filter(\.isUnread).map {
            UnreadSegment(number: $0.number, name: $0.name, error: $0.readError)
        }
    }

    /// Reads a whole segment again and takes what can be read now. That takes as long as reading
    /// the file, so the caller makes growing pauses.
    ///
    /// A read that fails decides nothing. Once all bytes could be read, and some of them are no
    /// record where one was, that record is counted in ``SpoolFigures/recordsUnreadable`` and the
    /// segment is moved aside in the end. A file that was removed is lost.
    public func readAgain(_ number: UInt64) -> Rereading {
        precondition(isOpen, "BUG: the spool is closed")
        guard let segment = segments.first(where: { $0.number == number }), segment.isUnread
        else { return Rereading() }
        var headers: [RecordHeader] = []
        var contents: SegmentContents
        do throws(DiskError) {
            let image = try SegmentImage(try openToRead(segment), end: segment.imageEnd)
            contents = image.scan(number: number) { headers.append($0) }
        } catch {
            // A file that is gone has no bytes that could be read later.
            guard error.isGone else { return Rereading(isUnread: true, error: error) }
            contents = SegmentContents()
        }
        closeStale(segment, contents.readError)
        // The next start refuses the spool and says why.
        guard contents.unknownVersion == nil else { return Rereading(isUnread: true, error: nil) }
        let review = segment.review(contents, headers)
        recordsUnreadable += review.lost
        let rereading = Rereading(
            records: review.records, tally: review.tally, isUnread: segment.isUnread,
            error: contents.readError)
        if segment.isDrained, segment !== active { dispose(segment) }
        return rereading
    }

    /// Releases a record that is stored elsewhere; releasing it again does nothing.
    ///
    /// Once all records of a segment are released, its file is reused or removed.
    ///
    /// - Throws: ``SpoolError/unknownRecord(_:)`` when the record is not durable.
    public func release(_ id: RecordID) throws(SpoolError) {
        precondition(isOpen, "BUG: the spool is closed")
        guard id.segment < nextNumber else { throw .unknownRecord(id) }
        guard let segment = segments.first(where: { $0.number >= id.segment }),
            segment.number == id.segment
        else { return }
        guard Int(id.end) <= segment.durableEnd else { throw .unknownRecord(id) }
        if segment.release(id), segment.isDrained { dispose(segment) }
    }

    private enum Reading {
        case record(SpooledRecord)
        /// Its bytes are not those that were written. The end is that of its header, if that is
        /// whole.
        case broken(end: Int?)
        case unread(DiskError, end: Int?)
    }

    private func read(_ segment: Segment<Storage.File>, at start: Int) -> Reading {
        var end: Int?
        do throws(DiskError) {
            let file = try openToRead(segment)
            guard let header = try self.header(segment, file, at: start) else {
                return .broken(end: nil)
            }
            end = header.end
            guard let payload = try self.payload(of: header, file) else { return .broken(end: end) }
            segment.handOut(header)
            return .record(
                SpooledRecord(
                    id: header.id, units: Int(header.units), kind: header.kind, time: header.time,
                    payload: payload))
        } catch {
            closeStale(segment, error)
            return .unread(error, end: end)
        }
    }

    /// A handle that is stale stays so, but the file may be opened anew.
    private func closeStale(_ segment: Segment<Storage.File>, _ error: DiskError?) {
        if error?.errno == ESTALE, segment !== active { closeFile(of: segment) }
    }

    private func openToRead(
        _ segment: Segment<Storage.File>
    ) throws(DiskError) -> Storage.File {
        if let file = segment.file { return file }
        if let reading { closeFile(of: reading) }
        let file = try disk.open(segment.name)
        segment.file = file
        reading = segment
        return file
    }

    private func header(
        _ segment: Segment<Storage.File>, _ file: Storage.File, at start: Int
    ) throws(DiskError) -> RecordHeader? {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: RecordHeader.byteCount, alignment: 8)
        defer { bytes.deallocate() }
        let count = try SegmentImage.read(file, bytes, at: start)
        guard
            case .header(let header) = RecordHeader.read(
                UnsafeRawBufferPointer(rebasing: bytes[..<count])),
            header.segment == segment.number, Int(header.offset) == start,
            header.end <= segment.durableEnd
        else { return nil }
        return header
    }

    private func payload(
        of header: RecordHeader, _ file: Storage.File
    ) throws(DiskError) -> [UInt8]? {
        let frame = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(header.frameBytes), alignment: 8)
        defer { frame.deallocate() }
        let count = try SegmentImage.read(
            file, frame, at: Int(header.offset) + RecordHeader.byteCount)
        guard count == frame.count,
            Checksum.of(UnsafeRawBufferPointer(frame)) == header.frameChecksum
        else { return nil }
        return PayloadCodec.decompress(
            UnsafeRawBufferPointer(frame), payloadBytes: Int(header.payloadBytes))
    }

    /// When the oldest record that is not released was received.
    var oldestTime: Int64? {
        for segment in segments where isOpen {
            guard let start = segment.place(from: 0) else { continue }
            guard let file = try? openToRead(segment) else { return nil }
            return (try? header(segment, file, at: start))?.time
        }
        return nil
    }
}
