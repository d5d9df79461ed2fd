import SpoolLog
import SpoolLogSupport
import Testing

@testable import Ingest

/// Which records of the spool are read, and when they are read again.
@Suite struct ReplayTests {
    /// A spool with records, read as the keeper reads it. `isTaken` decides the fate of each
    /// record.
    private struct Rig {
        private let spool: Spool<ModelDisk>
        private var replay = Replay(
            bytesMax: 64, retryMin: .seconds(1), retryMax: .seconds(60))
        private(set) var reads: [RecordID: Int] = [:]
        private(set) var released: [RecordID] = []
        private var now = ContinuousClock.now

        init(records: Int) throws {
            spool = try Spool(ModelDisk(seed: 1), configuration: SpoolConfiguration())
            for number in 0..<records {
                let payload = [UInt8](repeating: UInt8(number & 0xFF), count: 32)
                let outcome = try payload.withUnsafeBytes { bytes throws(SpoolError) in
                    try spool.append(bytes, units: 1, time: Int64(number))
                }
                guard case .appended = outcome else { preconditionFailure("BUG: no room") }
            }
            try spool.sync()
        }

        /// Looks four times a second; each look gets the answers of the previous one.
        mutating func run(seconds: Int, isTaken: (SpooledRecord) -> Bool) throws {
            for _ in 0..<seconds * 4 {
                now += .milliseconds(250)
                var tickets: [(UInt64, SpooledRecord)] = []
                while replay.hasRoom, let due = replay.takeDue(now: now) {
                    guard let record = try spool.record(due.id) else { continue }
                    tickets.append((replay.ship(record, count: 1, failures: due.failures), record))
                }
                while replay.hasRoom, let record = try spool.next(after: replay.cursor) {
                    replay.reach(record.id)
                    tickets.append((replay.ship(record, count: 1, failures: 0), record))
                }
                for (ticket, record) in tickets {
                    reads[record.id, default: 0] += 1
                    let pending = replay.arrive(ticket)
                    if isTaken(record) {
                        try spool.release(pending.id)
                        released.append(pending.id)
                    } else {
                        replay.hold(pending, now: now)
                    }
                }
            }
        }
    }

    @Test func `refused records are read when they are due and at no other time`() throws {
        var rig = try Rig(records: 300)
        try rig.run(seconds: 600) { _ in false }
        // After 1, 2, 4 … 32 seconds, then once a minute.
        #expect(rig.reads.count == 300)
        for (_, reads) in rig.reads { #expect((10...17).contains(reads)) }
        #expect(rig.released.isEmpty)
    }

    @Test func `records that are refused again and again delay none behind them`() throws {
        var rig = try Rig(records: 300)
        try rig.run(seconds: 120) { $0.time % 10 != 0 }
        #expect(rig.released.count == 270)
        for id in rig.released { #expect(rig.reads[id] == 1) }
        // Oldest first.
        #expect(rig.released == rig.released.sorted())
        // Refused records are replayed in the end.
        try rig.run(seconds: 120) { _ in true }
        #expect(rig.released.count == 300)
    }

    @Test func `a segment that can't be read waits longer each time and delays no other`() throws {
        let spool = try Spool(ModelDisk(seed: 1), configuration: SpoolConfiguration())
        let outcome = try [UInt8](repeating: 1, count: 8).withUnsafeBytes {
            bytes throws(SpoolError) in
            try spool.append(bytes, units: 1, time: 0)
        }
        guard case .appended(let id) = outcome else { preconditionFailure("BUG: no room") }
        var replay = Replay(bytesMax: 64, retryMin: .seconds(1), retryMax: .seconds(60))
        let start = ContinuousClock.now
        var looks: [UInt64: [Int]] = [:]
        for second in 0..<200 {
            let now = start + .seconds(second)
            while let segment = replay.takeUnread(of: [3, 7, 9], now: now) {
                looks[segment, default: []].append(second)
                // Nothing can be read of the first, something each time of the second, and the disk
                // is slow for the third.
                replay.readAgain(
                    segment, revealing: segment == 7 ? [id] : [],
                    took: segment == 9 ? .seconds(10) : .milliseconds(1), now: now)
            }
        }
        #expect(looks[3] == [1, 3, 7, 15, 31, 63, 123, 183])
        #expect(looks[7] == Array(1..<200))
        #expect(looks[9] == [1, 101])
        // One that can be read again is forgotten.
        #expect(replay.takeUnread(of: [3], now: start + .seconds(200)) == nil)
        #expect(replay.takeUnread(of: [7], now: start + .seconds(200)) == nil)
        #expect(replay.takeUnread(of: [7], now: start + .seconds(201)) == 7)
    }
}
