import Glibc
@testable import SpoolLog
import SpoolLogSupport
import Testing

@Suite struct DamageTests {
    /// Three groups of two small records each and some large ones, in two segments. The second
    /// segment's first record reveals damage to the first segment's last record.
    struct Sample {
        let files: [(name: String, bytes: [UInt8])]
        let records: [SpooledRecord]

        static let first = "0000000000000001.lz4"
        static let second = "0000000000000002.lz4"

        init() throws {
            let disk = ModelDisk(seed: 1)
            let spool = try Spool(disk, configuration: .small)
            var dice = Dice(seed: 2)
            for number in 0..<6 {
                try spool.append(
                    [UInt8](repeating: UInt8(number), count: 40 + number), units: number,
                    time: Int64(number))
                if number % 2 == 1 { try spool.sync() }
            }
            // Fills the rest of the first segment, so that no further record fits.
            for _ in 0..<4 {
                try spool.append((0..<3900).map { _ in UInt8.random(in: 0...255, using: &dice) })
                try spool.sync()
            }
            records = try spool.all()
            files = try disk.names().sorted().map { ($0, disk.content(of: $0) ?? []) }
        }

        /// A new disk with the sample's files.
        func disk() -> ModelDisk {
            let disk = ModelDisk(seed: 3)
            for file in files { disk.place(file.bytes, as: file.name) }
            return disk
        }
    }

    static func end(_ records: [SpooledRecord], in segment: UInt64) -> Int {
        Int(records.last { $0.id.segment == segment }?.id.end ?? 0)
    }

    @Test(.timeLimit(.minutes(10)))
    func `any byte of a segment may change and all other records are intact`() throws {
        let sample = try Sample()
        #expect(sample.files.map(\.name) == [Sample.first, Sample.second])
        let end = Self.end(sample.records, in: 1)
        #expect(end > 12_000)
        // Every byte of the small records, and a sample of the large ones.
        for offset in Array(0..<1000) + Array(stride(from: 1000, to: end + 200, by: 61)) {
            for change: (UInt8) -> UInt8 in [{ $0 ^ 0xFF }, { $0 ^ 1 }, { $0 &+ 1 }] {
                let disk = sample.disk()
                disk.spoil(Sample.first, at: offset, change)
                let spool = try Spool(disk, configuration: .small)
                let hit = sample.records.filter {
                    $0.id.segment == 1 && Int($0.id.offset)..<Int($0.id.end) ~= offset
                }
                #expect(
                    try spool.all() == sample.records.filter { !hit.contains($0) },
                    "offset \(offset)")
                // The mark may have been a header.
                let isKept = !hit.isEmpty || end..<(end + 12) ~= offset
                #expect(spool.recovery.setAside.isEmpty != isKept, "offset \(offset)")
                let reports = try SpoolVerification.verify(disk)
                #expect((reports.first?.fault == nil) != isKept, "offset \(offset)")
                try spool.releaseAll()
                #expect(
                    (disk.content(of: "bad-" + Sample.first) != nil) == isKept,
                    "offset \(offset)")
                #expect(disk.content(of: Sample.first) == nil)
            }
        }
    }

    /// Records that are on their way to the database when their file becomes unreadable. They were
    /// read, so they count until they are released.
    @Test func `a record that was read is not lost with its file`() throws {
        let disk = try Sample().disk()
        let spool = try Spool(disk, configuration: .small)
        var first: [SpooledRecord] = []
        while first.count < 3, let record = try spool.next(after: first.last?.id) {
            first.append(record)
        }
        for offset in 0..<(disk.content(of: Sample.first)?.count ?? 0) {
            disk.spoil(Sample.first, at: offset) { _ in 0xA5 }
        }
        let next = try spool.next(after: first.last?.id)
        #expect(next?.id.segment == 2)
        #expect(spool.figures.recordsUnreadable == 0)
        for segment in spool.unreadSegments { _ = spool.readAgain(segment.number) }
        let rest = spool.figures.records - 3
        #expect(spool.figures.recordsUnreadable > 0)
        #expect(spool.figures.units >= first.reduce(0) { $0 + $1.units })
        for (index, record) in first.enumerated() {
            #expect(spool.figures.records == rest + 3 - index)
            try spool.release(record.id)
            try spool.release(record.id)
        }
        #expect(spool.figures.records == rest)
        try spool.releaseAll()
        #expect(spool.figures.records == 0)
        #expect(disk.content(of: "bad-" + Sample.first) != nil)
    }

    /// The mark is not synced and may be lost in a power failure. Without it, the record's fate is
    /// unknown.
    @Test(arguments: [false, true])
    func `a broken end is kept, and the mark after it says that it was durable`(
        hasMark: Bool
    ) throws {
        let sample = try Sample()
        let last = try #require(sample.records.last)
        let (start, end) = (Int(last.id.offset), Int(last.id.end))
        // A frame ends with four zero bytes, so zeroing only those changes nothing.
        for cut in 5..<50 {
            let disk = sample.disk()
            let zeros = (end - cut)..<(end + (hasMark ? 0 : RecordHeader.byteCount))
            for offset in zeros { disk.spoil(Sample.second, at: offset) { _ in 0 } }
            let spool = try Spool(disk, configuration: .small)
            #expect(try spool.all() == sample.records.dropLast())
            #expect(
                spool.recovery.setAside.map(\.reason)
                    == [hasMark ? .damaged([start..<end]) : .doubtful([start..<end])])
            #expect(spool.recovery.bytesCut == 0)
            try spool.releaseAll()
            #expect(disk.content(of: "bad-" + Sample.second) != nil)
        }
    }

    @Test func `a file whose only records are broken is kept`() throws {
        let disk = ModelDisk(seed: 1)
        let first = try Spool(disk, configuration: .small)
        try first.append([1, 2, 3])
        try first.sync()
        let bytes = try #require(disk.content(of: Sample.first))
        let end = Int(try #require(try first.next(after: nil)).id.end)
        for offset in 0..<end {
            for length in [bytes.count, end] {
                let disk = ModelDisk(seed: 2)
                disk.place(Array(bytes.prefix(length)), as: Sample.first)
                disk.spoil(Sample.first, at: offset) { $0 ^ 2 }
                let spool = try Spool(disk, configuration: .small)
                #expect(spool.recovery.setAside.count == 1, "offset \(offset) of \(length)")
                #expect(try disk.names() == ["bad-" + Sample.first])
            }
        }
    }

    @Test func `a write whose first header is missing was never acknowledged`() throws {
        let sample = try Sample()
        let end = Int(try #require(sample.records.last).id.end)
        for hasMark in [true, false] {
            let disk = sample.disk()
            for offset in end..<(end + RecordHeader.byteCount) where !hasMark {
                disk.spoil(Sample.second, at: offset) { _ in 0 }
            }
            for offset in (end + 100)..<(end + 140) { disk.spoil(Sample.second, at: offset) }
            let spool = try Spool(disk, configuration: .small)
            #expect(spool.recovery.setAside.isEmpty)
            #expect(spool.recovery.bytesCut > 0)
            #expect(try spool.all() == sample.records)
        }
    }

    @Test func `a segment that was moved aside is not counted as a spare and stays`() throws {
        let sample = try Sample()
        let disk = sample.disk()
        disk.spoil(Sample.first, at: 200)
        let spool = try Spool(disk, configuration: .small)
        #expect(
            spool.recovery.setAside.first?.records
                == sample.records.count { $0.id.segment == 1 } - 1)
        try spool.releaseAll()
        #expect(spool.figures.setAside == 1)
        #expect(spool.figures.bytesOnDisk == disk.bytesTaken)
        let reopened = try Spool(disk, configuration: .small)
        #expect(reopened.figures.setAside == 1)
        #expect(try reopened.all() == [])
        // Its number is not used again, and its records can still be read.
        guard case .appended(let id) = try reopened.append([1]) else {
            Issue.record("full")
            return
        }
        #expect(id.segment > 1)
        var kept: [SpooledRecord] = []
        try SpoolVerification.records(of: "bad-" + Sample.first, on: disk) {
            kept.append($0)
            return true
        }
        #expect(kept.count == sample.records.count { $0.id.segment == 1 } - 1)
    }

    /// A version that took a failing read for damage moved such a segment aside.
    @Test(arguments: [EIO, ESTALE, EACCES, EBADMSG])
    func `a segment that can't be read keeps its place and is served once it can be`(
        errno: Int32
    ) throws {
        let sample = try Sample()
        let disk = sample.disk()
        disk.unreadable[Sample.first] = 0..<Int.max
        disk.unreadableErrno = errno
        let spool = try Spool(disk, configuration: .small)
        #expect(try spool.all() == sample.records.filter { $0.id.segment == 2 })
        #expect(spool.recovery.setAside.isEmpty)
        #expect(spool.recovery.unread.map(\.name) == [Sample.first])
        for _ in 0..<3 {
            #expect(spool.readAgain(1).error?.errno == errno)
            #expect(spool.figures.unread == 1)
        }
        try spool.releaseAll()
        #expect(disk.content(of: Sample.first) != nil)
        #expect(spool.figures.records == 0)
        disk.unreadable = [:]
        let rereading = spool.readAgain(1)
        #expect(!rereading.isUnread)
        let first = sample.records.filter { $0.id.segment == 1 }
        #expect(rereading.records == first.map(\.id))
        #expect(rereading.tally.total == first.reduce(0) { $0 + $1.units })
        #expect(try spool.all() == first)
        try spool.releaseAll()
        #expect(try disk.names().allSatisfy { $0.hasPrefix("spare-") })
    }

    /// A bad sector in a record's header, or in its frame.
    @Test(arguments: [0, 6000])
    func `a part that can never be read harms no other record, and its file stays`(
        offset: Int
    ) throws {
        var configuration = SpoolConfiguration.small
        configuration.segmentBytesMax = 512 * 1024
        configuration.bytesMax = 2 << 20
        configuration.recordBytesMax = 16 * 1024
        let disk = ModelDisk(seed: 1)
        let spool = try Spool(disk, configuration: configuration)
        for number in 0..<40 as Range<UInt64> {
            try spool.append(LimitTests.noise(12_000, seed: number))
        }
        try spool.sync()
        let records = try spool.all()
        let bad = records[20]
        for record in records[..<10] { try spool.release(record.id) }
        let start = Int(bad.id.offset) + offset
        disk.unreadable[Sample.first] = start..<(start + 70)
        _ = try spool.all()
        for _ in 0..<3 { _ = spool.readAgain(1) }
        #expect(spool.figures.records == 30)
        #expect(spool.figures.recordsUnreadable == 0)
        #expect(spool.unreadSegments.map(\.error?.errno) == [EIO])
        let rest = try spool.all()
        #expect(rest == records[10...].filter { $0 != bad })
        for record in rest { try spool.release(record.id) }
        #expect(disk.content(of: Sample.first) != nil)
        disk.unreadable = [:]
        #expect(try spool.allInTheEnd() == [bad])
        try spool.releaseAll()
        #expect(spool.figures.records == 0)
        #expect(try disk.names() == ["spare-" + Sample.first])
    }

    @Test func `an intact segment that was moved aside comes back when the spool is opened`() throws
    {
        let sample = try Sample()
        let disk = ModelDisk(seed: 4)
        disk.place(sample.files[0].bytes, as: "bad-" + Sample.first)
        disk.place(sample.files[1].bytes, as: Sample.second)
        let spool = try Spool(disk, configuration: .small)
        #expect(spool.recovery.returned == ["bad-" + Sample.first])
        #expect(try spool.all() == sample.records)
        #expect(spool.figures.setAside == 0)
        try spool.releaseAll()
        #expect(try disk.names().allSatisfy { $0.hasPrefix("spare-") })
    }

    @Test(arguments: [0, 1])
    func `a segment that was moved aside comes back if it has a single record`(records: Int) throws
    {
        let filled = ModelDisk(seed: 1)
        let first = try Spool(filled, configuration: .small)
        for _ in 0..<records { try first.append([7]) }
        try first.sync()
        let disk = ModelDisk(seed: 4)
        let empty = [UInt8](repeating: 0, count: 4096)
        disk.place(filled.content(of: Sample.first) ?? empty, as: "bad-" + Sample.first)
        let spool = try Spool(disk, configuration: .small)
        #expect(spool.recovery.returned.count == records)
        #expect(try spool.all().count == records)
        #expect(spool.figures.setAside == 1 - records)
    }

    @Test func `a damaged segment that was moved aside comes back on request, and stays`() throws {
        let sample = try Sample()
        let disk = ModelDisk(seed: 4)
        disk.place(sample.files[0].bytes, as: "bad-" + Sample.first)
        disk.spoil("bad-" + Sample.first, at: 200)
        #expect(try Spool(disk, configuration: .small).all() == [])
        let left = sample.records.filter {
            $0.id.segment == 1 && !(Int($0.id.offset)..<Int($0.id.end) ~= 200)
        }
        for _ in 0..<2 {
            let spool = try Spool(disk, configuration: .small, takesBackDamaged: true)
            #expect(try spool.all() == left)
            try spool.releaseAll()
            #expect(disk.content(of: "bad-" + Sample.first) != nil)
        }
    }

    @Test func `a record that becomes unreadable is counted and its segment moved aside`() throws {
        let disk = ModelDisk(seed: 1)
        let spool = try Spool(disk, configuration: .small)
        for number in 0..<10 {
            try spool.append([UInt8](repeating: UInt8(number), count: 50), units: 5)
        }
        try spool.sync()
        let records = try spool.all()
        #expect(records.count == 10)
        try spool.release(records[1].id)
        disk.spoil(Sample.first, at: Int(records[4].id.offset) + 10)
        disk.spoil(Sample.first, at: Int(records[7].id.end) - 1)
        let left = try #require(try spool.allInTheEnd())
        #expect(left == [0, 2, 3, 5, 6, 8, 9].map { records[$0] })
        #expect(spool.figures.recordsUnreadable == 2)
        #expect(spool.figures.records == 7)
        #expect(spool.figures.units == 35)
        for record in left { try spool.release(record.id) }
        #expect(try disk.names() == ["bad-" + Sample.first])
        try spool.append([1])
        try spool.sync()
        #expect(try spool.all().map(\.payload) == [[1]])
    }

    @Test func `a record of a later version is not damage but prevents the start`() throws {
        let sample = try Sample()
        let disk = sample.disk()
        let id = sample.records[1].id
        let content = try #require(disk.content(of: Sample.first))
        var header = Array(content[Int(id.offset)..<(Int(id.offset) + RecordHeader.byteCount)])
        header[12] = 2
        let checksum = header[..<72].withUnsafeBytes { Checksum.of($0) }
        for index in 0..<4 {
            header[72 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
        }
        for (index, byte) in header.enumerated() {
            disk.spoil(Sample.first, at: Int(id.offset) + index) { _ in byte }
        }
        #expect(throws: SpoolError.unknownVersion(segment: Sample.first, version: 2)) {
            _ = try Spool(disk, configuration: .small)
        }
        #expect(try disk.names().sorted() == [Sample.first, Sample.second])
        #expect(try SpoolVerification.verify(disk).first?.unknownVersion == 2)
    }

    @Test func `records of a file's earlier life are not mistaken for its own`() throws {
        let sample = try Sample()
        let disk = ModelDisk(seed: 4)
        // The name says five; the content is of segment one.
        disk.place(sample.files[0].bytes, as: "0000000000000005.lz4")
        let spool = try Spool(disk, configuration: .small)
        #expect(try spool.all() == [])
        #expect(spool.recovery == SpoolRecovery())
        #expect(try disk.names() == ["spare-0000000000000005.lz4"])
    }
}
