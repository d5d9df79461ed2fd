/// Files come and go.
extension Spool {
    /// A file to write: a spare, made if there is none and the limits allow, under a segment's name.
    ///
    /// Its size is durable before it has that name, so that a segment which is short was cut. The
    /// name is durable before a byte is written, so that no file holds records of a segment with a
    /// higher number than its name says. nil when there is no room.
    func makeSegment() throws(SpoolError) -> (number: UInt64, file: Storage.File)? {
        settleLeftovers()
        do throws(DiskError) {
            try disk.checkPath()
            let mustMake = spares.isEmpty
            if mustMake, try !hasRoomForSegment() { return nil }
            let number = nextNumber
            nextNumber += 1
            let spare = SegmentName.spare(mustMake ? number : spares.removeLast())
            do throws(DiskError) {
                let file = try makeDurable(spare, isNew: mustMake, as: .segment(number))
                return (number, file)
            } catch {
                // It has one of the two names.
                discard(.segment(number))
                discard(spare)
                throw error
            }
        } catch {
            if error.isOutOfSpace { return nil }
            throw .disk(error)
        }
    }

    private func hasRoomForSegment() throws(DiskError) -> Bool {
        let bytes = configuration.segmentBytesMax
        guard bytesOnDisk + bytes <= configuration.bytesMax else { return false }
        return try disk.freeBytes() - bytes >= configuration.freeBytesMin
    }

    private func makeDurable(
        _ spare: SegmentName, isNew: Bool, as name: SegmentName
    ) throws(DiskError) -> Storage.File {
        let made =
            isNew
            ? try disk.create(spare.text, bytes: configuration.segmentBytesMax)
            : try disk.open(spare.text)
        defer { made.close() }
        try made.sync()
        try disk.rename(spare.text, to: name.text)
        let file = try disk.open(name.text)
        do throws(DiskError) {
            try disk.syncNames()
        } catch {
            file.close()
            throw error
        }
        return file
    }

    /// Removes a file in which nothing counts, now or later.
    private func discard(_ name: SegmentName, bytes: Int? = nil) {
        let leftover = Leftover(
            name: name, bytes: bytes ?? configuration.segmentBytesMax, intent: .remove)
        if !leftover.settle(on: disk) { leftovers.append(leftover) }
    }

    private func settleLeftovers() {
        leftovers.removeAll { leftover in
            guard leftover.settle(on: disk) else { return false }
            if leftover.intent == .moveAside {
                setAside.count += 1
                setAside.bytes += leftover.bytes
            }
            return true
        }
    }

    /// Parts with a segment in which nothing waits: to be used again, removed or moved aside.
    ///
    /// None of that needs space. What a crash undoes of it brings records back, which is harmless.
    func dispose(_ segment: Segment<Storage.File>) {
        precondition(segment.isDrained, "BUG: segment=\(segment.number)")
        closeFile(of: segment)
        segments.removeAll { $0 === segment }
        if active === segment {
            previous = (segment.number, segment.end)
            active = nil
            buffer.restart(keepingBytes: configuration.bufferBytesMax)
        }
        let name = SegmentName.segment(segment.number)
        if segment.fault != nil {
            leftovers.append(Leftover(name: name, bytes: segment.bytes, intent: .moveAside))
            settleLeftovers()
            return
        }
        let isReusable =
            !segment.isSuspect && segment.bytes == configuration.segmentBytesMax
            && spares.count < configuration.spareSegmentsMax
        let spare = SegmentName.spare(segment.number)
        if isReusable {
            do {
                try disk.rename(name.text, to: spare.text)
                spares.append(segment.number)
                return
            } catch {
                // It has one of the two names; the other is gone.
                discard(spare)
            }
        }
        discard(name, bytes: segment.bytes)
    }

    func closeFile(of segment: Segment<Storage.File>) {
        segment.file?.close()
        segment.file = nil
        if reading === segment { reading = nil }
    }
}
