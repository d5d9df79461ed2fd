internal import CLZ4

extension Spool {
    /// The oldest durable record after `id`, or of all, that is not released; nil when there is
    /// none.
    ///
    /// A record that can't be read or whose checksums are wrong is skipped and counted in
    /// ``SpoolFigures/recordsUnreadable``; its segment is moved aside in the end.
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
                if let record = try read(segment, at: start) { return record }
                offset = start
            }
            if segment.isDrained, segment !== active { dispose(segment) }
            number += 1
            offset = 0
        }
        return nil
    }

    /// Reads a record again; nil when it was released or lost since.
    ///
    /// - Throws: as ``next(after:)``.
    public func record(_ id: RecordID) throws(SpoolError) -> SpooledRecord? {
        precondition(isOpen, "BUG: the spool is closed")
        guard let segment = segments.first(where: { $0.number == id.segment }),
            segment.place(from: Int(id.offset)) == Int(id.offset)
        else { return nil }
        return try read(segment, at: Int(id.offset))
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

    /// Returns nil when the record is lost; the segment has noted it then.
    private func read(
        _ segment: Segment<Storage.File>, at start: Int
    ) throws(SpoolError) -> SpooledRecord? {
        do {
            let file = try openToRead(segment)
            let header = try header(segment, file, at: start)
            if let header, let payload = try payload(of: header, file) {
                segment.handOut(header)
                return SpooledRecord(
                    id: header.id, units: Int(header.units), kind: header.kind, time: header.time,
                    payload: payload)
            }
            lose(segment, at: start, .damaged([start..<(header?.end ?? start + 1)]))
            return nil
        } catch {
            if !error.meansLoss { throw .disk(error) }
            lose(segment, at: start, .unreadable(error))
            return nil
        }
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
        let count = try SegmentImage.readTwice(file, bytes, at: start)
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
        let count = try SegmentImage.readTwice(
            file, frame, at: Int(header.offset) + RecordHeader.byteCount)
        guard count == frame.count,
            Checksum.of(UnsafeRawBufferPointer(frame)) == header.frameChecksum
        else { return nil }
        return PayloadCodec.decompress(
            UnsafeRawBufferPointer(frame), payloadBytes: Int(header.payloadBytes))
    }

    /// Finds out what can still be read of a segment. This is rare, so it reads the whole segment.
    private func lose(
        _ segment: Segment<Storage.File>, at start: Int, _ reason: SetAside.Reason
    ) {
        segment.fault = segment.fault ?? reason
        var headers: [RecordHeader] = []
        if let file = segment.file, let image = try? SegmentImage(file, end: segment.durableEnd) {
            _ = image.scan(number: segment.number) { headers.append($0) }
        }
        recordsUnreadable += segment.lose(from: start, readable: headers)
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

/// Compresses a payload to one LZ4 frame, and back, with liblz4's fast level.
///
/// LZ4's own checksums are off: the record's header has a checksum of the frame.
enum PayloadCodec {
    private static var preferences: LZ4F_preferences_t {
        var preferences = LZ4F_preferences_t()
        preferences.frameInfo.blockSizeID = LZ4F_max4MB
        preferences.frameInfo.blockMode = LZ4F_blockIndependent
        return preferences
    }

    /// The most bytes that the frame of a payload can need.
    static func frameBytesMax(payloadBytes: Int) -> Int {
        var preferences = preferences
        return LZ4F_compressFrameBound(payloadBytes, &preferences)
    }

    /// Compresses a payload and returns the frame's size in bytes.
    ///
    /// - Parameter output: at least ``frameBytesMax(payloadBytes:)`` bytes.
    static func compress(
        _ payload: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int {
        var preferences = preferences
        let count = LZ4F_compressFrame(
            output.baseAddress, output.count, payload.baseAddress, payload.count, &preferences)
        precondition(LZ4F_isError(count) == 0, "BUG: LZ4F_compressFrame \(count)")
        return count
    }

    /// nil unless `frame` is exactly one frame of exactly `payloadBytes` bytes.
    static func decompress(_ frame: UnsafeRawBufferPointer, payloadBytes: Int) -> [UInt8]? {
        var context: OpaquePointer?
        guard LZ4F_isError(LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0,
            let context
        else { preconditionFailure("BUG: LZ4F_createDecompressionContext") }
        defer { LZ4F_freeDecompressionContext(context) }
        var isWhole = false
        let payload = [UInt8](unsafeUninitializedCapacity: payloadBytes) { output, count in
            // One more byte detects a frame that holds more than it should.
            var spare: UInt8 = 0
            var read = 0
            while true {
                var consumed = frame.count - read
                var produced = payloadBytes - count
                let hint: Int
                if produced > 0, let start = output.baseAddress {
                    hint = LZ4F_decompress(
                        context, start + count, &produced, frame.baseAddress.map { $0 + read },
                        &consumed, nil)
                    count += LZ4F_isError(hint) == 0 ? produced : 0
                } else {
                    produced = 1
                    hint = LZ4F_decompress(
                        context, &spare, &produced, frame.baseAddress.map { $0 + read },
                        &consumed, nil)
                    if produced > 0 { return }
                }
                if LZ4F_isError(hint) != 0 { return }
                read += consumed
                if hint == 0 {
                    isWhole = read == frame.count && count == payloadBytes
                    return
                }
                if consumed == 0 && produced == 0 { return }
            }
        }
        return isWhole ? payload : nil
    }
}
