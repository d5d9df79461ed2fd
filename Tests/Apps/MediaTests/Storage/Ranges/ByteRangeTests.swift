import Media
import Testing

struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-0", .part(0..<1)), ("bytes=0-99", .part(0..<100)),
            ("bytes=0-", .part(0..<100)),
            ("bytes=99-", .part(99..<100)), ("bytes=10-20", .part(10..<21)),
            ("bytes=90-1000", .part(90..<100)), ("bytes=-1", .part(99..<100)),
            ("bytes=-100", .part(0..<100)), ("bytes=-1000", .part(0..<100)),
            ("Bytes = 5-6", .part(5..<7)), ("bytes=100-", .unsatisfiable),
            ("bytes=100-200", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=0-99999999999999999999", .part(0..<100)),
            ("bytes=5-4", .whole), ("bytes=0-1,4-5", .whole), ("bytes=", .whole), ("bytes", .whole),
            ("bytes=-", .whole), ("bytes=a-b", .whole), ("bytes=1-b", .whole),
            ("bytes=+1-2", .whole),
            ("bytes=--1", .whole), ("bytes=1 -2", .whole), ("items=0-1", .whole), ("", .whole),
            ("bytes=\u{664}-5", .whole),
        ] as [(String, ByteRange)])
    func `a range header is parsed`(field: String, expected: ByteRange) {
        #expect(ByteRange(field, bytes: 100) == expected)
    }

    @Test(arguments: ["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0", "bytes=5-"])
    func `an empty file has no ranges`(field: String) {
        #expect(ByteRange(field, bytes: 0) == .unsatisfiable)
    }

    @Test func `a range is repeated in Content-Range`() {
        #expect(ByteRange.part(10..<21).contentRange(bytes: 100) == "bytes 10-20/100")
        #expect(ByteRange.unsatisfiable.contentRange(bytes: 100) == "bytes */100")
        #expect(ByteRange.whole.contentRange(bytes: 100) == nil)
    }
}
