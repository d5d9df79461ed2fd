/// Files come and go.
extension Spool {
    /// A file to write, its name durable: from a spare, or new if the limits allow.
    ///
    /// Its name is durable before a byte is written, so that no file holds records of a segment
    /// with a higher number than its name says. nil when there is no room.
    func makeSegment() throws(SpoolError) -> (number: UInt64, file: Storage.File)? {
        settleLeftovers()
        let number = nextNumber
        do throws(DiskError) {
            guard let file = try spares.isEmpty ? create(number) : reuse(number) else {
                return nil
            }
            do throws(DiskError) {
                try disk.syncNames()
            } catch {
                file.close()
                discard(.segment(number))
                throw error
            }
            return (number, file)
        } catch {
            if error.isOutOfSpace { return nil }
            throw .disk(error)
        }
    }

    private func reuse(_ number: UInt64) throws(DiskError) -> Storage.File {
        let name = SegmentName.segment(number)
        let spare = SegmentName.spare(spares.removeLast())
        nextNumber += 1
        do {
            try disk.rename(spare.text, to: name.text)
            return try disk.open(name.text)
        } catch {
            // It has one of the two names.
            discard(name)
            discard(spare)
            throw error
        }
    }

    private func create(_ number: UInt64) throws(DiskError) -> Storage.File? {
        let bytes = configuration.segmentBytesMax
        guard bytesOnDisk + bytes <= configuration.bytesMax,
            try disk.freeBytes() - bytes >= configuration.freeBytesMin
        else { return nil }
        let name = SegmentName.segment(number)
        nextNumber += 1
        do {
            return try disk.create(name.text, bytes: bytes)
        } catch {
            discard(name)
            throw error
        }
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
