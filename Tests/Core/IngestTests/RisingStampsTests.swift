import Readings
import Testing

@testable import Ingest

@Suite struct RisingStampsTests {
    @Test func `stamps are the wall clock's, and rise also while it goes back or stands still`() {
        let stamps = RisingStamps()
        let wallClock = [-9, 1000, 1000, 3, 1001, 1002, 1003, 2000] as [Int64]
        let stamped = wallClock.map { stamps.next(Timestamp(microseconds: $0)).microseconds }
        #expect(stamped == [-9, 1000, 1001, 1002, 1003, 1004, 1005, 2000])
    }
}
