import CLZ4
import Glibc
import SpoolLog
import SpoolLogSupport
import Testing

@Suite struct LimitTests {
    static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var dice = Dice(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
    }

    static func fill(_ spool: Spool<ModelDisk>) throws -> Int {
        var count = 0
        while case .appended = try spool.append(noise(3900, seed: UInt64(count))) {
            count += 1
            try spool.sync()
            if count > 10_000 { break }
        }
        return count
    }

    @Test func `it is full at its bytes and takes again what was released`() throws {
        let disk = ModelDisk(seed: 1)
        let spool = try Spool(disk, configuration: .small)
        // Four records of 3900 incompressible bytes a segment; headers take the rest.
        let count = try Self.fill(spool)
        #expect(count == 6 * 4)
        #expect(spool.figures.bytesOnDisk == SpoolConfiguration.small.bytesMax)
        for record in try spool.all().prefix(4) { try spool.release(record.id) }
        #expect(spool.figures.spares == 1)
        #expect(try Self.fill(spool) == 4)
        #expect(spool.figures.bytesOnDisk == disk.bytesTaken)
    }

    @Test func `records at one place of two segments, or at two of one, are different records`()
        throws
    {
        let spool = try Spool(ModelDisk(seed: 1), configuration: .small)
        #expect(try Self.fill(spool) == 6 * 4)
        let ids = try spool.all().map(\.id)
        let starts = ids.filter { $0.offset == ids[0].offset }
        #expect(starts.count == 6)
        for (place, id) in ids.enumerated() {
            #expect(ids.firstIndex(of: id) == place)
            #expect(ids.lastIndex(of: id) == place)
        }
    }

    @Test func `it leaves free bytes to others, and a full disk still drains`() throws {
        let disk = ModelDisk(seed: 1, capacityBytes: 3 * 16 * 1024 + 8 * 1024)
        let spool = try Spool(disk, configuration: .small)
        #expect(try Self.fill(spool) == 3 * 4)
        // Others use the rest of the disk.
        disk.capacityBytes = disk.bytesTaken
        try spool.releaseAll()
        #expect(spool.figures.records == 0)
        #expect(spool.figures.spares == 2)
        // Spares need no new space.
        #expect(try Self.fill(spool) == 2 * 4)
    }

    @Test func `a disk without room for a write is full and keeps the pending records`() throws {
        let disk = ModelDisk(seed: 1)
        let spool = try Spool(disk, configuration: .small)
        try spool.append(Self.noise(4000, seed: 1))
        disk.rates.perThousand[.write] = 1000
        disk.rates.errno[.write] = [ENOSPC]
        #expect(try spool.append(Self.noise(4000, seed: 2)) == .full)
        disk.rates = FaultRates()
        try spool.sync()
        #expect(try spool.all().map(\.payload) == [Self.noise(4000, seed: 1)])
    }

    @Test func `after a failed sync the group is not returned and the next sync succeeds`()
        throws
    {
        let disk = ModelDisk(seed: 1)
        let spool = try Spool(disk, configuration: .small)
        try spool.append([1])
        try spool.sync()
        try spool.append([2])
        disk.rates.perThousand[.sync] = 1000
        #expect(throws: SpoolError.disk(DiskError(.sync, "0000000000000001.lz4", errno: EIO))) {
            try spool.sync()
        }
        disk.rates = FaultRates()
        #expect(try spool.all().map(\.payload) == [[1]])
        guard case .appended(let id) = try spool.append([3]) else {
            Issue.record("full")
            return
        }
        #expect(id.segment == 2)
        try spool.sync()
        #expect(try spool.all().map(\.payload) == [[1], [3]])
        // The file whose sync failed is not used again.
        try spool.releaseAll()
        #expect(try disk.names() == ["spare-0000000000000002.lz4"])
    }

    @Test func `a record larger than the limit is refused whole`() throws {
        let spool = try Spool(ModelDisk(seed: 1), configuration: .small)
        #expect(throws: SpoolError.recordTooLarge(bytes: 4097, bytesMax: 4096)) {
            try spool.append([UInt8](repeating: 0, count: 4097))
        }
        #expect(try spool.append([UInt8](repeating: 0, count: 4096)) != .full)
        try spool.append([])
        try spool.sync()
        #expect(try spool.all().map(\.payload.count) == [4096, 0])
    }

    @Test func `only durable records come out and only they can be released`() throws {
        let spool = try Spool(ModelDisk(seed: 1), configuration: .small)
        guard case .appended(let id) = try spool.append([9], units: 4, time: -5) else {
            Issue.record("full")
            return
        }
        #expect(try spool.next(after: nil) == nil)
        #expect(throws: SpoolError.unknownRecord(id)) { try spool.release(id) }
        try spool.sync()
        #expect(
            try spool.next(after: nil)
                == SpooledRecord(id: id, units: 4, time: -5, payload: [9]))
        #expect(spool.figures.oldestTime == -5)
        #expect(try spool.next(after: id) == nil)
        try spool.release(id)
        try spool.release(id)
        #expect(try spool.next(after: nil) == nil)
        #expect(spool.figures.records == 0)
    }

    @Test func `a segment is one stream for any reader of LZ4 frames`() throws {
        let disk = ModelDisk(seed: 1)
        let spool = try Spool(disk, configuration: .small)
        var payloads: [UInt8] = []
        for number in 0..<12 {
            let payload =
                number % 2 == 0
                ? Self.noise(50 * number, seed: UInt64(number))
                : [UInt8](repeating: UInt8(number), count: 300 * number)
            try spool.append(payload)
            payloads += payload
            if number % 3 == 0 { try spool.sync() }
        }
        try spool.sync()
        let content = try #require(disk.content(of: "0000000000000001.lz4"))
        #expect(Self.decoded(content, upTo: payloads.count) == payloads)
    }

    /// Uses the frame API of liblz4, which accepts frames and skippable frames in any order.
    static func decoded(_ stream: [UInt8], upTo count: Int) -> [UInt8] {
        var context: OpaquePointer?
        LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
        defer { LZ4F_freeDecompressionContext(context) }
        var output: [UInt8] = []
        var read = 0
        var piece = [UInt8](repeating: 0, count: 1000)
        while read < stream.count, output.count < count {
            var consumed = stream.count - read
            var produced = piece.count
            let hint = stream[read...].withUnsafeBytes {
                LZ4F_decompress(context, &piece, &produced, $0.baseAddress, &consumed, nil)
            }
            if LZ4F_isError(hint) != 0 { break }
            read += consumed
            output += piece[..<produced]
        }
        return output
    }
}
