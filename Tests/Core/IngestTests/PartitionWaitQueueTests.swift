import Readings
import Scanner
import TestSupport
import Testing

@testable import Ingest

@Suite struct PartitionWaitQueueTests {
    /// The day is made while the hold asks about one batch after the other.
    @Test(arguments: 0...9)
    func `no batch goes before an older one of its device and day`(answersBefore: Int) throws {
        var hold = PartitionWaitQueue()
        let start = ContinuousClock.now
        var group = try (0..<4).map { place in
            Pending(
                payload: ReceivedDeviceBatch(
                    deviceBatch: try Bench.scan(Bodies.batch("d", [Bodies.vital(place)]))
                        .deviceBatches[0],
                    keyName: "test", receivedAt: Bench.now),
                offeredAt: start + .nanoseconds(place))
        }
        var asked = 0
        let ask: PartitionWaitQueue.Ask = { days, _, _ in
            asked += 1
            guard asked > answersBefore else { return [:] }
            return Dictionary(uniqueKeysWithValues: days.map { ($0, .exists) })
        }
        let refused = hold.admit(&group, ask)
        let released = hold.release(offeredBefore: start, ask)
        #expect(refused.isEmpty && released.late.isEmpty)
        let gone = (released.ready + group).map(\.offeredAt)
        let held = hold.takeAll().map(\.offeredAt)
        #expect(gone.count + held.count == 4)
        #expect(held == held.sorted())
        for time in held { #expect(!gone.contains { $0 > time }) }
    }

    @Test func `there is room for four megabytes, again once they were taken out`() throws {
        let pending = Pending(
            payload: ReceivedDeviceBatch(
                deviceBatch: try Bench.scan(Bodies.batch("d", [Bodies.vital(1)])).deviceBatches[0],
                keyName: "test", receivedAt: Bench.now), offeredAt: .now)
        let fitting = PartitionWaitQueue.bytesMax / pending.payload.memory
        var hold = PartitionWaitQueue()
        for _ in 0..<2 {
            var count = 0
            while hold.hold(pending) { count += 1 }
            #expect(count == fitting)
            #expect(hold.takeAll().count == fitting)
        }
    }
}
