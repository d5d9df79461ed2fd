internal import Glibc

extension Spool {
    /// Takes a record; it is durable once the next ``sync()`` came back.
    ///
    /// - Parameters:
    ///   - payload: what comes out of ``next(after:)`` again; nothing of it is retained here.
    ///   - units: how many readings or other units it holds.
    ///   - kind: what those are.
    ///   - time: when it was received, in microseconds since 2000-01-01 UTC.
    /// - Throws: the disk's error. The record was not kept; if what was appended before it can't
    ///   be kept either, the next ``sync()`` says so.
    public func append(
        _ payload: UnsafeRawBufferPointer, units: Int, kind: RecordKind = .usual, time: Int64
    ) throws(SpoolError) -> AppendOutcome {
        try check(bytes: payload.count, units: units)
        guard !isFullForCertain, try writeEarly() else { return .full }
        // Compressed right where it is written from. Only a new segment is another place.
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

    /// The frame stands in `room` already.
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

    /// Known without compressing anything: no segment is open and none may be made.
    private var isFullForCertain: Bool {
        active == nil && spares.isEmpty
            && bytesOnDisk + configuration.segmentBytesMax > configuration.bytesMax
    }

    /// Bounds the buffer. False when the disk has no room for what it holds; it still holds it.
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

    /// nil when there is no room.
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

/// What became of a record.
public enum AppendOutcome: Sendable, Equatable {
    /// Taken, and durable once the next ``Spool/sync()`` came back.
    case appended(RecordID)
    /// There is no room for it; nothing of it was kept. There will be once records are released.
    case full
}

/// The end of the segment in use, not yet written, and the last page before it.
///
/// Pages are written whole, with zeros behind the last record, at least as many as a header has: the
/// kernel need not read a page of a recycled file to change a part of it. What a page held before is
/// written again as it was.
struct WriteBuffer: ~Copyable {
    static let pageBytes = 4096

    private var storage: UnsafeMutableRawBufferPointer
    /// Where in the file the buffer starts; a multiple of a page.
    private var base = 0
    /// Where in the file what it holds ends.
    private(set) var end = 0
    /// Where in the file what was not written starts.
    private var unwritten = 0

    init() {
        storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
    }

    deinit { storage.deallocate() }

    var unwrittenBytes: Int { end - unwritten }

    /// The bytes of as many pages as it takes to hold `bytes`.
    static func pages(_ bytes: Int) -> Int { (bytes + pageBytes - 1) / pageBytes * pageBytes }

    /// Starts anew at the start of a file, and gives back memory beyond `bytes`.
    mutating func restart(keepingBytes bytes: Int) {
        base = 0
        end = 0
        unwritten = 0
        if storage.count > 2 * bytes + 16 * Self.pageBytes {
            storage.deallocate()
            storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
        }
    }

    /// Room for `count` bytes behind the end; void after the next mutation.
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

    /// Takes up the first `count` bytes of the last ``room(_:)``.
    mutating func extend(_ count: Int) {
        end += count
        precondition(end - base <= storage.count, "BUG: count=\(count)")
    }

    /// Writes all, and zeros up to the end of a page. On an error it stays as it was.
    ///
    /// The first header goes last: until it is there nothing of it is, whenever the process ends.
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
        // The page that is not full stays, for it is to be written once more.
        let kept = used % Self.pageBytes
        if kept > 0, used > kept {
            storage.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: storage[(used - kept)..<used]))
        }
        base = end - kept
    }
}
