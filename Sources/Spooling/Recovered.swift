/// The decisions that opening a spool makes about what it found.
struct Recovered<Storage: Disk> {
    private let disk: Storage
    private let configuration: SpoolConfiguration

    private(set) var recovery = SpoolRecovery()
    private(set) var segments: [Segment<Storage.File>] = []
    private(set) var spares: [UInt64] = []
    private(set) var leftovers: [Leftover] = []
    private(set) var setAside = (count: 0, bytes: 0)
    private(set) var nextNumber: UInt64 = 1
    private(set) var previous: (number: UInt64, end: Int) = (0, 0)

    init(_ disk: Storage, _ configuration: SpoolConfiguration) {
        self.disk = disk
        self.configuration = configuration
    }

    mutating func take(_ survey: Survey) {
        setAside = (survey.setAside.count, survey.setAside.reduce(0) { $0 + $1.bytes })
        let numbers =
            survey.segments.map(\.number) + survey.spares.map(\.number)
            + survey.setAside.map(\.number)
        nextNumber = (numbers.max() ?? 0) + 1
        for spare in survey.spares {
            keepOrRemove(.spare(spare.number), bytes: spare.bytes)
        }
        for entry in survey.segments {
            if let contents = entry.contents {
                take(entry.number, contents)
            } else if let error = entry.openError {
                moveAside(entry.number, bytes: 0, .unreadable(error))
            }
        }
    }

    private mutating func take(_ number: UInt64, _ contents: SegmentContents) {
        recovery.bytesCut += contents.bytesCut
        guard contents.records > 0 else {
            if let fault = contents.fault {
                moveAside(number, bytes: contents.bytes, fault)
            } else {
                // Just made, or its only records were never promised.
                keepOrRemove(.segment(number), bytes: contents.bytes)
            }
            return
        }
        var contents = contents
        if contents.fault == nil { cutTail(number, &contents) }
        let segment = Segment<Storage.File>(number: number, contents: contents)
        segments.append(segment)
        recovery.segments += 1
        recovery.records += contents.records
        recovery.tally += contents.tally
        if let fault = contents.fault {
            recovery.setAside.append(
                SetAside(name: segment.name, reason: fault, records: contents.records))
        }
        // Behind that there may be what a crashed process left in the kernel's memory only.
        previous = (number, contents.durableEnd)
    }

    /// Gives back the space that a segment had set aside and no header in it speaks of: it is not
    /// written on, and a server that is started again and again must not fill the disk with what is
    /// empty. A tail that is short stays, for a segment of the usual size can be used again.
    private func cutTail(_ number: UInt64, _ contents: inout SegmentContents) {
        let end = WriteBuffer.pages(contents.bytesMin)
        let spare = max(WriteBuffer.pageBytes, configuration.segmentBytesMax / 8)
        guard contents.bytes - end >= spare else { return }
        do throws(DiskError) {
            let file = try disk.open(SegmentName.segment(number).text)
            defer { file.close() }
            try file.truncate(to: end)
            contents.bytes = end
        } catch {
            // It takes more space than it needs, and nothing else.
        }
    }

    private mutating func moveAside(_ number: UInt64, bytes: Int, _ reason: SetAside.Reason) {
        let name = SegmentName.segment(number)
        recovery.setAside.append(SetAside(name: name.text, reason: reason, records: 0))
        let leftover = Leftover(name: name, bytes: bytes, intent: .moveAside)
        if leftover.settle(on: disk) {
            setAside.count += 1
            setAside.bytes += bytes
        } else {
            leftovers.append(leftover)
        }
    }

    /// A file with nothing in it that counts.
    private mutating func keepOrRemove(_ name: SegmentName, bytes: Int) {
        let spare = SegmentName.spare(name.number)
        if bytes == configuration.segmentBytesMax, spares.count < configuration.spareSegmentsMax {
            do {
                if name != spare { try disk.rename(name.text, to: spare.text) }
                spares.append(name.number)
                return
            } catch {
                leftovers.append(Leftover(name: spare, bytes: bytes, intent: .remove))
            }
        }
        let leftover = Leftover(name: name, bytes: bytes, intent: .remove)
        if !leftover.settle(on: disk) { leftovers.append(leftover) }
    }
}
