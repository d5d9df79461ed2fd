import Testing

@testable import Status

@Suite struct EventStreamParserTests {
    private static let stream =
        Array(
            "\u{FEFF}retry: 1000\n\n: a remark\nid: 7\nevent: report\ndata: {\"é\":1}\n\n"
                .utf8)
        + Array("data:two\r\ndata: lines\r\n\r\nevent: lost\n\ndata\rfoo: bar\r\r".utf8)
    private static let events = [
        EventStreamParser.Event(name: "report", data: "{\"é\":1}"),
        EventStreamParser.Event(name: "message", data: "two\nlines"),
        EventStreamParser.Event(name: "message", data: ""),
    ]

    @Test func `events are the same wherever the stream is split`() throws {
        for cut in 0...Self.stream.count {
            var parser = EventStreamParser()
            var events = try parser.take(Self.stream[..<cut])
            events += try parser.take(Self.stream[cut...])
            #expect(events == Self.events, "cut at \(cut)")
        }
        var parser = EventStreamParser()
        var events: [EventStreamParser.Event] = []
        for byte in Self.stream { events += try parser.take([byte]) }
        #expect(events == Self.events)
    }

    @Test func `an event without its empty line is not complete`() throws {
        var parser = EventStreamParser()
        let none = try parser.take("data: x\n".utf8)
        #expect(none.isEmpty)
        let one = try parser.take("\n".utf8)
        #expect(one.map(\.data) == ["x"])
    }

    @Test func `a line and an event have a maximum length`() {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.Fault.tooLong) {
            _ = try parser.take([UInt8](repeating: 0x61, count: EventStreamParser.bytesMax + 1))
        }
        var other = EventStreamParser()
        let line = Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 1 << 16) + [0x0A]
        #expect(throws: EventStreamParser.Fault.tooLong) {
            for _ in 0..<20 { _ = try other.take(line) }
        }
    }
}
