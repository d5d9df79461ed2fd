import Readings
import Scanner
import ScannerSupport
import Testing

@Suite struct `Fields that nothing reads` {
    private func ignored(
        _ body: String, _ shape: BodyShape = .document
    ) throws -> (names: [String], count: Int) {
        let body = Array(body.utf8)
        let splits = body.count < 600 ? (0...body.count).map { Chunking.split(at: $0) } : []
        let batch = try #require(agreed(on: body, usualChunkings + splits, shape).batch)
        return (batch.ignored.map { String(decoding: $0, as: UTF8.self) }, batch.ignoredCount)
    }

    private func batch(
        _ members: String, metadata: String = "", top: String = ""
    ) -> String {
        #"{"metadata":{"device_id":"d"\#(metadata)},"data":[\#(reading(members))]\#(top)}"#
    }

    private func reading(_ members: String) -> String {
        #"{"type":"gps","t":"2026-02-10T10:00:00Z","lat":1,"lon":2\#(members)}"#
    }

    @Test(
        arguments: [
            ("", []), (#","acc":1"#, []), (#","acc":null,"device_id":null"#, []),
            (#","hdop":1"#, ["hdop"]), (#","hdop":null"#, []), (#","x":null,"y":[null]"#, ["y"]),
            (#","hdop":1,"sats":{"a":1},"hdop":NaN"#, ["hdop", "sats"]),
            // Of another kind, also in the form that the fast path knows.
            (#","val":1"#, ["val"]), (#","code":1,"val":2"#, ["code", "val"]),
            (#","label":"l","metadata":{"a":1}"#, ["label", "metadata"]),
            (#","val":null,"label":null"#, []), (#","user_id":"ann""#, ["user_id"]),
            (#","\u0068dop":1,"hdop":2,"\ud800":3"#, ["hdop"]),
            (#","é":1,"e\u0301":2"#, ["é", "e\u{301}"]),
        ] as [(String, [String])])
    func `are named, each once`(members: String, names: [String]) throws {
        let ignored = try ignored(batch(members))
        #expect(ignored.names.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        let spaced = batch(members).replacing(",", with: " , ").replacing(":1", with: " : 1")
        #expect(try self.ignored(spaced).names.count == names.count)
    }

    @Test func `of an envelope are named with their place`() throws {
        let body = batch(
            #","a":1"#, metadata: #","b":{"c":1},"version":null,"d":null,"e\n":true"#,
            top: #","sent_at":5,"x":null,"a":2"#)
        let ignored = try ignored(body)
        #expect(ignored.names == ["metadata.b", "metadata.e\n", "a", "sent_at"])
        #expect(ignored.count == 5)
    }

    /// The second time its envelope is known.
    @Test func `of an envelope are named each time`() throws {
        var comparison = Comparison()
        let body = Array(batch("", metadata: #","b":1"#).utf8)
        for _ in 0..<3 {
            let batch = comparison.scannerVerdict(on: body, .whole).batch
            #expect(batch?.ignored == [Array("metadata.b".utf8)])
        }
        let other = comparison.scannerVerdict(on: Array(batch("").utf8), .whole).batch
        #expect(other?.ignoredCount == 0)
    }

    @Test func `are counted, and the first ones named`() throws {
        let many = (0..<20).map { #","x\#($0)":1"# }.joined()
        let long = String(repeating: "n", count: 63)
        let ignored = try ignored(batch(many + #","\#(long)n":1"#))
        #expect(ignored.names == (0..<8).map { "x\($0)" })
        #expect(ignored.count == 21)
        let tooLong = try self.ignored(
            batch(#","\#(long)":1,"\#(long)n":1"#, top: #","\#(long)nn":1"#))
        #expect(tooLong.names == [long])
        #expect(tooLong.count == 3)
    }

    @Test func `of a quarantined reading are kept with it`() throws {
        #expect(try ignored(batch(#","hdop":1,"lat":1"#)).count == 0)
    }

    @Test func `of lines are named, but not the user`() throws {
        let members = #","device_id":"d","user_id":"ann","hdop":1"#
        let ignored = try ignored(reading(members) + "\n" + reading(members), .lines)
        #expect(ignored.names == ["hdop"])
        #expect(ignored.count == 2)
    }
}
