internal import Glibc

extension Spool {
    /// Appends a record; it is durable once the next ``sync()`` has returned.
    ///
    /// - Parameters:
    ///   - payload: returned by ``next(after:)`` later; not retained.
    ///   - units: how many readings or other units it holds.
    ///   - kind: what those are.
    ///   - time: when it was received, in microseconds since 2000-01-01 UTC.
    /// - Throws: ``SpoolError/recordTooLarge(bytes:bytesMax:)`` or the disk's error. The record was
    ///   not kept; if earlier records can't be kept either, the next ``sync()`` throws.
    public func append(
        _ payload: UnsafeRawBufferPointer, units: Int, kind: RecordKind = .usual, time: Int64
    ) throws(SpoolError) -> AppendOutcome {
        try check(bytes: payload.count, units: units)
        guard !isFullForCertain, try writeEarly() else { return .full }
        // Compresses into the write buffer, without a copy unless the record needs a new segment.
        let room = buffer.room(
            RecordHeader.byteCount + PayloadCodec.frameBytesMax(payloadBytes: payload.count))
        let output = UnsafeMutableRawBufferPointer(rebasing: room[RecordHeader.byteCount...])
        let frameBytes = PayloadCodec.compress(payload, into: output)
        let frame = UnsafeRawBufferPointer(rebasing: output[..<frameBytes])
        let checksum = Checksum.of(frame)
        if let active, active.hasRoom(for: RecordHeader.byteCount + frameBytes) {
            let header = active.header(
                frameBytes: frameBytes, payloadBytes: payload.count, units: units, kind: kind,
                time: time, checksum: checksum)
            return finish(header, in: active, room)
        }
        let copy = [UInt8](frame)
        return try append(
            copy, checksum: checksum, payloadBytes: payload.count, units: units, kind: kind,
            time: time)
    }

    private func append(
        _ frame: [UInt8], checksum: UInt32, payloadBytes: Int, units: Int, kind: RecordKind,
        time: Int64
    ) throws(SpoolError) -> AppendOutcome {
        let bytes = RecordHeader.byteCount + frame.count
        guard let segment = try segment(withRoomFor: bytes) else { return .full }
        let header = segment.header(
            frameBytes: frame.count, payloadBytes: payloadBytes, units: units, kind: kind,
            time: time, checksum: checksum)
        let room = buffer.room(bytes)
        frame.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: room[RecordHeader.byteCount...])
                .copyMemory(from: $0)
        }
        return finish(header, in: segment, room)
    }

    /// Writes the header in front of the frame that is already in `room`.
    private func finish(
        _ header: RecordHeader, in segment: Segment<Storage.File>,
        _ room: UnsafeMutableRawBufferPointer
    ) -> AppendOutcome {
        header.write(to: room)
        buffer.extend(RecordHeader.byteCount + Int(header.frameBytes))
        segment.appended(header)
        precondition(buffer.end == segment.end, "BUG: \(buffer.end) != \(segment.end)")
        return .appended(header.id)
    }

    private func check(bytes: Int, units: Int) throws(SpoolError) {
        precondition(isOpen, "BUG: the spool is closed")
        precondition(0...Int(UInt32.max) ~= units, "BUG: units=\(units)")
        if let groupFailure { throw .disk(groupFailure) }
        guard bytes <= configuration.recordBytesMax else {
            throw .recordTooLarge(bytes: bytes, bytesMax: configuration.recordBytesMax)
        }
    }

    /// Full, whatever the compressed size: no segment is open and none may be made.
    private var isFullForCertain: Bool {
        active == nil && spares.isEmpty
            && bytesOnDisk + configuration.segmentBytesMax > configuration.bytesMax
    }

    /// Writes a buffer that is full. Returns false when the disk has no room; the buffer stays
    /// full.
    private func writeEarly() throws(SpoolError) -> Bool {
        guard buffer.unwrittenBytes >= configuration.bufferBytesMax else { return true }
        return try writeBuffer()
    }

    private func writeBuffer() throws(SpoolError) -> Bool {
        guard let file = active?.file else { return true }
        do {
            try buffer.write(to: file)
            return true
        } catch {
            if error.isOutOfSpace { return false }
            groupFailure = error
            throw .disk(error)
        }
    }

    /// Returns nil when there is no room.
    private func segment(withRoomFor bytes: Int) throws(SpoolError) -> Segment<Storage.File>? {
        if let active, active.hasRoom(for: bytes) { return active }
        guard try writeBuffer(), let segment = try makeSegment() else { return nil }
        if let active {
            previous = (active.number, active.durableEnd)
            if active.pending.records > 0 { filled.append(active) } else { closeFile(of: active) }
        }
        let new = Segment<Storage.File>(
            number: segment.number, bytes: configuration.segmentBytesMax, previous: previous,
            file: segment.file)
        segments.append(new)
        active = new
        buffer.restart(keepingBytes: configuration.bufferBytesMax)
        return new
    }
}
