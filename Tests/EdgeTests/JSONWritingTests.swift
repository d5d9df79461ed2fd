import Foundation
import NIOCore
import Testing

@testable import Edge

@Suite struct JSONWritingTests {
    @Test(arguments: [0, 7, 10, -1, 123_456_789, Int.max, Int.min])
    func `a number is written in digits`(value: Int) {
        var buffer = ByteBuffer()
        buffer.writeDecimal(value)
        #expect(String(buffer: buffer) == "\(value)")
    }

    @Test(arguments: ["", "plain", "\"\\/", "\u{0}\u{1F}\n\t", "ü€😀", "\u{7F}"])
    func `a text comes back from its JSON`(text: String) throws {
        var buffer = ByteBuffer()
        buffer.writeJSON(text)
        let read = try JSONSerialization.jsonObject(
            with: Data(buffer.readableBytesView), options: .fragmentsAllowed)
        #expect(read as? String == text)
    }
}
