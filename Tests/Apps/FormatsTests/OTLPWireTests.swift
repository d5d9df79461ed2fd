import Foundation
import Instruments
import JSONText
import SwiftProtobuf
import Testing

@testable import Formats
@testable import HTTP
@testable import HTTPSupport

/// Bodies of Protocol Buffers that are unlike the fixtures.
@Suite struct OTLPWireTests {
    private static func ask(
        _ body: [UInt8], _ signal: String = "metrics", key: String? = FakeKeys.good
    ) throws -> ParsedAnswer {
        let rig = try ConnectionRig(
            routes: [RunningFormats(FormatInstruments(Registry())).group])
        var post = Post("/in/otlp/v1/\(signal)", body)
        post.fields = [("Content-Type", "application/x-protobuf; charset=utf-8")]
        try rig.send(post.bytes(key: key))
        rig.commitHeld()
        defer { rig.expectNothingHeld() }
        return try rig.answer()
    }

    private static func sentence(_ answer: ParsedAnswer) throws -> String {
        #expect(answer.headers["content-type"] == "application/x-protobuf")
        return try OTLPWire.Status(serializedBytes: Array(answer.body.utf8)).message
    }

    /// A field of bytes, with as many layers of the same around it as there are further numbers.
    private static func field(_ numbers: [UInt8], _ content: [UInt8] = []) -> [UInt8] {
        numbers.reversed().reduce(content) { content, number in
            var bytes = [number << 3 | 2]
            var rest = content.count
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7F | 0x80))
                rest >>= 7
            }
            return bytes + [UInt8(rest)] + content
        }
    }

    @Test func `errors are messages of google rpc`() throws {
        let refused = try Self.ask([], key: "wrong")
        #expect(refused.status == 401)
        #expect(try !Self.sentence(refused).isEmpty)
        let nameless = try Self.ask(Self.field([1, 2, 2]))
        #expect(nameless.status == 422)
        #expect(try Self.sentence(nameless).contains("service.name"))
    }

    @Test(
        arguments: [
            ([0x0A], "ends too soon"), ([0x0A, 5, 0], "ends too soon"),
            // A group without an end, as which JSON is read, too; field 0.
            ([0x0B], "ends too soon"), ([0x02, 0], "malformed"),
            (Array("{\"resourceMetrics\":[]}".utf8), "ends too soon"),
            ([0x0A, 4, 0x12, 2, 0x12, 3], "ends too soon"),
            // A name that is not UTF-8.
            (field([1, 2, 2, 1], [0xFF]), "not UTF-8"),
        ] as [([UInt8], String)])
    func `what is no message is refused`(body: [UInt8], words: String) throws {
        let answer = try Self.ask(body)
        #expect(answer.status == 400)
        #expect(try Self.sentence(answer).contains(words))
    }

    @Test func `an empty body is an export of nothing`() throws {
        let answer = try Self.ask([])
        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(answer.headers["content-type"] == "application/x-protobuf")
    }

    @Test(arguments: [(20, 200), (200, 400), (2_000, 400)])
    func `values may be nested so deep`(depth: Int, status: Int) throws {
        // A log record whose body is an array in an array.
        let value = Self.field(
            Array([[5], Array(repeating: [5, 1], count: depth).flatMap(\.self)].joined()))
        let device = Self.field(
            [1, 1], Self.field([1], Array("host.name".utf8)) + Self.field([2, 1], [0x78]))
        let answer = try Self.ask(
            Self.field([1], device + Self.field([2, 2], value)), "logs")
        #expect(answer.status == status)
        if status == 400 { #expect(try Self.sentence(answer).contains("nested too deep")) }
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [[1], [1, 2], [1, 2, 2, 5, 1], [1, 2, 2, 5, 1, 7]] as [[UInt8]])
    func `a body of empty messages is bounded`(path: [UInt8]) throws {
        let empty = [path[path.count - 1] << 3 | 2, 0]
        let content = Array(repeating: empty, count: 1 << 19).flatMap(\.self)
        let answer = try Self.ask(Self.field(Array(path.dropLast()), content))
        // None names a device.
        #expect(answer.status == 422)
    }

    @Test func `ids and infinite values are as in JSON`() throws {
        var point = OTLPWire.NumberPoint()
        point.timeUnixNano = 1
        point.asDouble = -.infinity
        var metric = OTLPWire.Metric()
        metric.sum.dataPoints = [try point.serializedData()]
        var scope = OTLPWire.Scope()
        scope.items = [try metric.serializedData()]
        let bytes = Self.field([1, 2], try scope.serializedBytes())
        let json = try OTLPWire.json(of: bytes.span.bytes, .metrics)
        let text = String(decoding: json.members[0].value.json, as: UTF8.self)
        #expect(
            text.contains(
                #"{"name":"","sum":{"dataPoints":[{"timeUnixNano":"1","asDouble":"-Infinity"}]}}"#))
    }
}
