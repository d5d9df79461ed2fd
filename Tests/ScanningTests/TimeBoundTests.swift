import Readings
import Scanning
import ScanningSupport
import Testing

/// What a slow or hostile client sends byte by byte must not cost more than its bytes.
///
/// Each of these takes well under a second when time grows with the bytes, and minutes when it
/// grows with their square.
@Suite(.timeLimit(.minutes(5))) struct `Single bytes` {
    @Test func `of a reading as long as is allowed`() {
        let reading = #"{"type":"event","t":"2026-02-10T10:00:00Z","label":"a","x":""#
        check(batch([reading + String(repeating: "x", count: 131_000) + "\"}"]))
    }

    @Test func `of a reading full of escapes`() {
        let reading = #"{"type":"event","t":"2026-02-10T10:00:00Z","label":"a","x":""#
        check(batch([reading + String(repeating: "\\\"", count: 65_000) + "\"}"]))
    }

    @Test func `of a reading of many members`() {
        let members = (0..<13_000).map { "\"k\($0)\":1" }.joined(separator: ",")
        check(batch(["{\(members)}"]))
    }

    @Test func `of a reading that never ends`() {
        check(Array((#"{"data":[{"x":""# + String(repeating: "x", count: 300_000)).utf8))
        check(
            Array(
                (#"{"data":[{"x":"# + String(repeating: "[", count: 1000)
                    + String(repeating: "0,", count: 100_000)).utf8))
    }

    @Test func `of metadata as long as is allowed`() {
        let long = String(repeating: "x", count: 65_000)
        check(Array(#"{"metadata":{"device_id":"d","x":"\#(long)"},"data":[]}"#.utf8))
    }

    @Test func `of unknown parts`() {
        check(Array(#"{"x":"\#(String(repeating: "x", count: 300_000))""#.utf8))
        check(Array(#"{"x":\#(String(repeating: "1", count: 300_000))"#.utf8))
        check(Array(String(repeating: " ", count: 300_000).utf8))
        check(Array(#"{"\#(String(repeating: "k", count: 300_000))":1"#.utf8))
        check(Array((#"{"data":["# + String(repeating: " ", count: 300_000)).utf8))
    }

    @Test func `of large event metadata in deep trees`() {
        let tree =
            String(repeating: "{\"a\":", count: 60) + "[" + String(repeating: "1e0,", count: 4000)
            + "1]" + String(repeating: "}", count: 60)
        let reading =
            #"{"type":"event","t":"2026-02-10T10:00:00Z","label":"a","metadata":\#(tree)}"#
        check(batch([String](repeating: reading, count: 5)))
    }

    private func check(_ body: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        var verdict: Verdict?
        let elapsed = ContinuousClock().measure {
            verdict = Verdict(
                ofFreshScannerOn: body, chunks: Chunking.pieces(of: 1).lengths(of: body.count),
                now: BatchGenerator.now)
        }
        #expect(elapsed < .seconds(10), sourceLocation: sourceLocation)
        let reference = ReferenceDecoder(now: BatchGenerator.now).verdict(on: body)
        #expect(verdict == reference, sourceLocation: sourceLocation)
    }
}
