import NIOCore
import NIOHTTP1
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct StreamWireTests {
    @Test(arguments: [false, true]) func `an answer is split as it was joined`(
        _ isHead: Bool
    ) {
        var writer = AnswerWriter(unixSeconds: 1_770_735_432)
        let answer = writer.answer(
            429, .close, isHead: isHead, fields: "retry-after: 7\r\nx: a: b\r\n"
        ) { $0.writeStaticString("{\"detail\":\"a\\r\\n\\r\\nb\"}\n") }
        let (head, body) = StreamWire.parts(of: answer.bytes)
        #expect(head.status == .tooManyRequests)
        #expect(head.headers["retry-after"] == ["7"])
        #expect(head.headers["x"] == ["a: b"])
        #expect(head.headers["content-length"] == ["24"])
        #expect(head.headers["connection"].isEmpty)
        #expect(String(buffer: body) == (isHead ? "" : "{\"detail\":\"a\\r\\n\\r\\nb\"}\n"))
    }
}
