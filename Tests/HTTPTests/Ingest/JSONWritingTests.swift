import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct JSONWritingTests {
    @Test(arguments: [0, 7, 10, -1, 123_456_789, Int.max, Int.min])
    func `a number is written in digits`(value: Int) {
        var buffer = ByteBuffer()
        buffer.writeDecimal(value)
        #expect(String(buffer: buffer) == "\(value)")
    }
}
