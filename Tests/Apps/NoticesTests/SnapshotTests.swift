import Testing

@testable import Notices

@Suite struct SnapshotTests {
    @Test func `a snapshot has its end and the transactions that were open`() {
        #expect(Snapshot("10:20:10,14,15")?.end == 20)
        #expect(Snapshot("10:20:10,14,15")?.open == [10, 14, 15])
        #expect(Snapshot("10:10:")?.open == [])
        #expect(Snapshot("10:18446744073709551615:")?.end == .max)
    }

    @Test(arguments: ["", "10:20", "10:20:1:2", "a:b:", "10:20:x", "10:20:-1"])
    func `other texts are no snapshot`(text: String) {
        #expect(Snapshot(text) == nil)
    }
}
