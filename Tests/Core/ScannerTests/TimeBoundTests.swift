import Glibc
import Readings
import ScannerSupport
import Testing

@testable import Scanner

/// Input that a slow or hostile client sends byte by byte must not cost more than its bytes.
///
/// This is counted, not timed: no byte is read more than a few times, however the body is cut. Only
/// the time of a single attempt is measured, with a wide margin and in this thread's processor
/// time, because it must grow in proportion to the bytes: each of these bodies then takes well
/// under a second, and minutes if time grows with the square.
@Suite(.timeLimit(.minutes(10))) struct `Single bytes` {
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

    /// Twice while a reading grows, once more when it is complete, and once to skip it.
    private static let attemptsMax = 4

    private func check(_ body: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let reference = ReferenceDecoder(now: BatchGenerator.now).verdict(on: body)
        var scanner = BatchScanner(limits: ReadingLimits())
        for size in [1, 3, 1460] {
            var verdict: Verdict?
            let start = Self.processorSeconds
            verdict = Verdict(
                of: &scanner, on: body,
                chunks: Chunking.pieces(of: size).lengths(of: body.count),
                now: BatchGenerator.now)
            let seconds = Self.processorSeconds - start
            #expect(verdict == reference, sourceLocation: sourceLocation)
            #expect(
                scanner.attemptedBytes <= Self.attemptsMax * body.count + 1460,
                "\(size) bytes at a time", sourceLocation: sourceLocation)
            #expect(seconds < 60, sourceLocation: sourceLocation)
        }
    }

    private static var processorSeconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec
    }
}
