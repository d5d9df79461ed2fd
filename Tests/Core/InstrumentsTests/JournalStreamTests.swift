import Glibc
import Instruments
import Testing

@Suite struct JournalStreamTests {
    @Test func `the journal is behind a descriptor if the variable names its device and inode`() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        var status = stat()
        #expect(fstat(ends[1], &status) == 0)
        func isBehind(_ value: String?) -> Bool {
            JournalStream.isBehind(
                ends[1], environment: value.map { ["JOURNAL_STREAM": $0] } ?? [:])
        }
        #expect(isBehind("\(status.st_dev):\(status.st_ino)"))
        #expect(!isBehind("\(status.st_dev):\(status.st_ino + 1)"))
        #expect(!isBehind("") && !isBehind(nil))
    }
}
