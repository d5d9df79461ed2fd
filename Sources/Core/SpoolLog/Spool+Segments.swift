/// Makes, reuses and removes segment files.
extension Spool {
    /// Opens a file for a new segment: a spare, or a new file if there is none and the limits
    /// allow. Returns nil when there is no room.
    ///
    /// Its size is durable before it is renamed to the segment's name, so a short segment was cut.
    /// The name is durable before a byte is written, so no file holds records with a higher number
    /// than its name has.
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
                // The file has one of the two names.
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

    /// Removes a file without records to replay, now or later.
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

    /// Reuses, removes or moves aside a segment without records to replay.
    ///
    /// None of that needs space. If a crash undoes it, records are replayed again, which is
    /// harmless.
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
                // The file has one of the two names; both are discarded.
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
