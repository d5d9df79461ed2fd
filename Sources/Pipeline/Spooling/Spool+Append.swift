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

/// The result of an append.
public enum AppendOutcome: Sendable, Equatable {
    /// Durable once the next ``Spool/sync()`` has returned.
    case appended(RecordID)
    /// There is no room until records are released; nothing was kept.
    case full
}

/// The unwritten end of the active segment, and the last page before it.
///
/// Pages are written whole, so that the kernel need not read a page of a recycled file to change a
/// part of it. They are filled with zeros after the last record, at least as many as a header has.
/// The earlier bytes of a page are written again unchanged.
struct WriteBuffer: ~Copyable {
    static let pageBytes = 4096

    private var storage: UnsafeMutableRawBufferPointer
    /// The buffer's start in the file; a multiple of the page size.
    private var base = 0
    /// The buffer's end in the file.
    private(set) var end = 0
    /// The start of the unwritten bytes in the file.
    private var unwritten = 0

    init() {
        storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
    }

    deinit { storage.deallocate() }

    var unwrittenBytes: Int { end - unwritten }

    /// `bytes` rounded up to whole pages.
    static func pages(_ bytes: Int) -> Int { (bytes + pageBytes - 1) / pageBytes * pageBytes }

    /// Starts a new file, and frees memory beyond `bytes`.
    mutating func restart(keepingBytes bytes: Int) {
        base = 0
        end = 0
        unwritten = 0
        if storage.count > 2 * bytes + 16 * Self.pageBytes {
            storage.deallocate()
            storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
        }
    }

    /// Room for `count` bytes after the end; invalid after the next mutation.
    mutating func room(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let used = end - base
        // Padding must fit too.
        let needed = used + count + 2 * Self.pageBytes
        if needed > storage.count {
            let capacity = max(needed, storage.count * 2)
            let grown = UnsafeMutableRawBufferPointer.allocate(
                byteCount: capacity, alignment: Self.pageBytes)
            grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<used]))
            storage.deallocate()
            storage = grown
        }
        return UnsafeMutableRawBufferPointer(rebasing: storage[used..<(used + count)])
    }

    /// Adds the first `count` bytes of the last ``room(_:)``.
    mutating func extend(_ count: Int) {
        end += count
        precondition(end - base <= storage.count, "BUG: count=\(count)")
    }

    /// Writes all, and zeros up to the end of a page. After an error it is unchanged.
    ///
    /// The page with the first header is written last: until then no record of this write counts,
    /// whenever the process ends.
    mutating func write(to file: some DiskFile) throws(DiskError) {
        guard unwritten < end else { return }
        let used = end - base
        let padded = Self.pages(used + RecordHeader.byteCount)
        memset(storage.baseAddress! + used, 0, padded - used)
        let first = Self.pages(unwritten - base + RecordHeader.byteCount)
        if padded > first {
            try file.write(
                UnsafeRawBufferPointer(rebasing: storage[first..<padded]), at: base + first)
        }
        try file.write(UnsafeRawBufferPointer(rebasing: storage[..<first]), at: base)
        unwritten = end
        // The last, partial page stays: the next write writes it again.
        let kept = used % Self.pageBytes
        if kept > 0, used > kept {
            storage.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: storage[(used - kept)..<used]))
        }
        base = end - kept
    }
}
