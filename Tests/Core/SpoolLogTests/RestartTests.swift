import Glibc
import SpoolLog
import SpoolLogSupport
import Testing

/// Processes that restart again and again while nothing drains.
@Suite struct RestartTests {
    @Test(arguments: [false, true])
    func `a restart keeps the content of a segment and frees its reserved space`(
        machineGoesToo: Bool
    ) throws {
        var configuration = SpoolConfiguration.small
        configuration.bytesMax = 8 * configuration.segmentBytesMax
        configuration.freeBytesMin = 0
        var disk = ModelDisk(seed: 9, capacityBytes: configuration.bytesMax)
        // One page for each life, and one whole segment for the one being written.
        let lives = 7 * 4
        for life in 0..<lives {
            let spool = try Spool(disk, configuration: configuration)
            #expect(spool.recovery.records == life)
            guard case .appended = try spool.append([UInt8(life)]) else {
                Issue.record("full in life \(life)")
                return
            }
            try spool.sync()
            #expect(spool.figures.bytesOnDisk == disk.bytesTaken)
            // The spool is not closed.
            if machineGoesToo { disk = disk.crash() }
        }
        let spool = try Spool(disk, configuration: configuration)
        #expect(try spool.all().map(\.payload) == (0..<lives).map { [UInt8($0)] })
        // A truncation that was not durable when the machine crashed is repeated.
        #expect(spool.figures.bytesOnDisk == lives * 4096)
        try spool.releaseAll()
        #expect(spool.figures.bytesOnDisk == 0)
        #expect(try LimitTests.fill(spool) == 8 * 4)
    }

    @Test func `a segment that is nearly full stays whole and is used again`() throws {
        let disk = ModelDisk(seed: 1)
        let first = try Spool(disk, configuration: .small)
        for seed in 0..<4 as Range<UInt64> { try first.append(LimitTests.noise(3900, seed: seed)) }
        try first.sync()
        let spool = try Spool(disk, configuration: .small)
        #expect(spool.figures.bytesOnDisk == 16 * 1024)
        try spool.releaseAll()
        #expect(spool.figures.spares == 1)
    }

    @Test func `a segment that can't be cut stays and is replayed all the same`() throws {
        let disk = ModelDisk(seed: 1)
        let first = try Spool(disk, configuration: .small)
        try first.append([1, 2, 3])
        try first.sync()
        disk.rates.perThousand[.truncate] = 1000
        for _ in 0..<20 {
            let spool = try Spool(disk, configuration: .small)
            #expect(try spool.all().map(\.payload) == [[1, 2, 3]])
        }
    }

    @Test func `a damaged segment is not cut`() throws {
        let disk = ModelDisk(seed: 1)
        let first = try Spool(disk, configuration: .small)
        for _ in 0..<3 {
            try first.append([UInt8](repeating: 7, count: 100))
            try first.sync()
        }
        disk.spoil("0000000000000001.lz4", at: 90)
        let spool = try Spool(disk, configuration: .small)
        #expect(spool.recovery.setAside.count == 1)
        #expect(disk.content(of: "0000000000000001.lz4")?.count == 16 * 1024)
        #expect(try spool.all().count == 2)
    }

    @Test func `units are counted by the kind of their record, also by the next process`() throws {
        let disk = ModelDisk(seed: 1)
        let other = RecordKind(rawValue: 7)
        let first = try Spool(disk, configuration: .small)
        let payload = UnsafeRawBufferPointer(start: nil, count: 0)
        _ = try first.append(payload, units: 5, time: 0)
        _ = try first.append(payload, units: 3, kind: other, time: 0)
        _ = try first.append(payload, units: 4, kind: other, time: 0)
        try first.sync()
        for spool in [first, try Spool(disk, configuration: .small)] {
            #expect(spool.figures.tally[.usual] == 5)
            #expect(spool.figures.tally[other] == 7)
            #expect(spool.figures.units == 12)
            #expect(try spool.all().map(\.kind) == [.usual, other, other])
        }
        let report = try SpoolVerification.verify(disk)
        #expect(report[0].tally[other] == 7)
        let spool = try Spool(disk, configuration: .small)
        #expect(spool.recovery.tally[.usual] == 5)
        try spool.release(try spool.all()[1].id)
        #expect(spool.figures.tally[other] == 4)
        #expect(spool.figures.tally[.usual] == 5)
    }
}
