internal import Glibc

/// Decides what to do with the files that opening a spool finds.
struct Recovered<Storage: Disk> {
    private let disk: Storage
    private let configuration: SpoolConfiguration
    private let takesBackDamaged: Bool

    private(set) var recovery = SpoolRecovery()
    private(set) var segments: [Segment<Storage.File>] = []
    private(set) var spares: [UInt64] = []
    private(set) var leftovers: [Leftover] = []
    private(set) var setAside = (count: 0, bytes: 0)
    private(set) var nextNumber: UInt64 = 1
    private(set) var previous: (number: UInt64, end: Int) = (0, 0)

    init(_ disk: Storage, _ configuration: SpoolConfiguration, takesBackDamaged: Bool) {
        self.disk = disk
        self.configuration = configuration
        self.takesBackDamaged = takesBackDamaged
    }

    mutating func take(_ survey: Survey) {
        let numbers = survey.segments.map(\.number) + survey.spares.map(\.number)
        nextNumber = (numbers.max() ?? 0) + 1
        for spare in survey.spares {
            keepOrRemove(.spare(spare.number), bytes: spare.bytes)
        }
        for entry in survey.segments {
            var contents = entry.contents
            if contents.bytes == 0, contents.readError != nil {
                contents.bytes = configuration.segmentBytesMax
            }
            if entry.isSetAside {
                guard comesBack(entry) else {
                    setAside.count += 1
                    setAside.bytes += contents.bytes
                    continue
                }
                recovery.returned.append(SegmentName.setAside(entry.number).text)
            }
            take(entry.number, contents)
        }
    }

    /// Gives a segment its name back that was moved aside, if it is not damaged or can't be read
    /// now. Versions that took a failing read for damage have moved intact segments aside.
    private func comesBack(_ entry: Survey.Entry) -> Bool {
        let contents = entry.contents
        let isIntact = contents.fault == nil && (contents.records > 0 || !contents.unread.isEmpty)
        guard contents.unknownVersion == nil, isIntact || takesBackDamaged && contents.records > 0
        else { return false }
        do throws(DiskError) {
            try disk.rename(
                SegmentName.setAside(entry.number).text, to: SegmentName.segment(entry.number).text)
            return true
        } catch {
            // The same segment is there already, or the next start tries it again.
            return false
        }
    }

    private mutating func take(_ number: UInt64, _ contents: SegmentContents) {
        recovery.bytesCut += contents.bytesCut
        if let error = contents.readError {
            recovery.unread.append(
                UnreadSegment(
                    number: number, name: SegmentName.segment(number).text, error: error))
        }
        guard contents.records > 0 || !contents.unread.isEmpty else {
            if let fault = contents.fault {
                moveAside(number, bytes: contents.bytes, fault)
            } else {
                // Newly made, or its only records were never promised.
                keepOrRemove(.segment(number), bytes: contents.bytes)
            }
            return
        }
        var contents = contents
        if contents.fault == nil, contents.unread.isEmpty { cutTail(number, &contents) }
        let segment = Segment<Storage.File>(number: number, contents: contents)
        segments.append(segment)
        recovery.segments += 1
        recovery.records += contents.records
        recovery.tally += contents.tally
        if let fault = contents.fault {
            recovery.setAside.append(
                SetAside(name: segment.name, reason: fault, records: contents.records))
        }
        // Later bytes may be in the kernel's memory only, written by a process that crashed.
        previous = (number, contents.durableEnd)
    }

    /// Frees the space that a segment had allocated and no header in it mentions. Nothing is
    /// appended to the segment, and a server that is restarted again and again must not fill the
    /// disk with unused space. A short tail stays: a segment of the configured size can be reused.
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
            // Harmless: the file only takes more space than it needs.
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

    /// Keeps a file without records to replay as a spare, or removes it.
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
