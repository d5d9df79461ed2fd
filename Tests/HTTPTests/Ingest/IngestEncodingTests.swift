import Ingest
import Instruments
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Compressed bodies through a whole connection.
@Suite struct IngestEncodingTests {
    @Test(arguments: Samples.Compression.allCases, [1, 13, Int.max])
    func `a compressed batch is a batch`(compression: Samples.Compression, pieces: Int) throws {
        let rig = try ConnectionRig()
        let body = Samples.compress(Array(Samples.body(readings: 50).utf8), compression)
        var rest = Samples.post(compressed: body, compression.contentEncoding)[...]
        while !rest.isEmpty {
            try rig.send(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        rig.commitHeld()
        #expect(try rig.answer().number("stored") == 50)
        rig.expectNothingHeld()
    }

    @Test(arguments: ["GZIP", "x-gzip", "identity, gzip", " gzip "])
    func `an encoding may be spelt in many ways`(name: String) throws {
        let rig = try ConnectionRig()
        let body = Samples.compress(Array(Samples.body.utf8), .gzip)
        try rig.send(Samples.post(compressed: body, name))
        #expect(rig.sink.heldCount == 1)
    }

    @Test(arguments: Samples.Compression.allCases)
    func `a truncated body is a 400 that says so`(compression: Samples.Compression) throws {
        let rig = try ConnectionRig()
        let body = Samples.compress(Array(Samples.body.utf8), compression).dropLast(5)
        try rig.send(Samples.post(compressed: Array(body), compression.contentEncoding))
        let answer = try rig.answer()
        #expect(answer.status == 400)
        #expect(answer.detail == "The \(compression.contentEncoding) body ends too soon")
        #expect(rig.sink.offers == 0)
        #expect(rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a body that is not compressed is a 400 that says so`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(compressed: Array(Samples.body.utf8), "gzip"))
        let answer = try rig.answer()
        #expect(answer.status == 400)
        #expect(answer.detail == "The body is not valid gzip")
        rig.expectNothingHeld()
    }

    @Test(arguments: Samples.Compression.allCases)
    func `a bomb is a 413 and nothing is held for it`(compression: Samples.Compression) throws {
        let rig = try ConnectionRig()
        let opening = #"{"metadata":{"device_id":"x"},"data":[],"padding":""#
        let text = Array(opening.utf8) + [UInt8](repeating: 0x20, count: 15 << 20)
        let body = Samples.compress(text, compression)
        try rig.send(Samples.post(compressed: body, compression.contentEncoding))
        #expect(try rig.answer().status == 413)
        rig.expectNothingHeld()
    }

    @Test func `the key is checked before the decompression`() throws {
        let rig = try ConnectionRig()
        let head = Samples.head(length: 5, key: "no", fields: ["Content-Encoding: gzip"])
        try rig.send(head + "xxxxx")
        #expect(try rig.answer().status == 401)
    }

    @Test func `a compressed body reserves its decompressed size`() throws {
        let rig = try ConnectionRig()
        let text = Samples.body(readings: 1000)
        let body = Samples.compress(Array(text.utf8), .gzip)
        let request = Samples.post(compressed: body, "gzip")
        try rig.send(request.dropLast(1))
        #expect(rig.budget.inFlightBytes > 10 * body.count)
        try rig.send(request.suffix(1))
        #expect(rig.budget.inFlightBytes == text.utf8.count)
        rig.commitHeld()
        #expect(try rig.answer().number("stored") == 1000)
        rig.expectNothingHeld()
    }

    @Test func `offsets count decompressed bytes`() throws {
        let rig = try ConnectionRig()
        let text = Samples.body(readings: 20) + "x"
        let body = Samples.compress(Array(text.utf8), .gzip)
        try rig.send(Samples.post(compressed: body, "gzip"))
        #expect(try rig.answer().number("offset") == text.utf8.count - 1)
        rig.expectNothingHeld()
    }
}
