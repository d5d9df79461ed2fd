import Readings
import Scanner
import ScannerSupport
import Testing

@Suite struct `Envelopes that are known` {
    private static let limits = ReadingLimits()
    private static let reading = #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1}"#

    /// Envelopes that differ in one or two bytes; some are refused.
    private static let envelopes: [String] =
        (0..<10).flatMap { number in
            [
                #"{"device_id":"phone-\#(number)"}"#,
                #"{"device_id":"PHONE-\#(number)"}"#,
                #"{"device_id":"phone-\#(number)" }"#,
                #"{"device_id":"phone-\#(number)","version":"1.\#(number)"}"#,
                #"{"device_id":"phone-\#(number)","version":"2.\#(number)"}"#,
                #"{"version":"2.\#(number)","device_id":"phone-\#(number)"}"#,
                #"{"device_id":"phone-\#(number)","model_name":"2.\#(number)"}"#,
                #"{"device_id":"phone-\#(number)","user_id":"2.\#(number)"}"#,
                #"{"device_id":"phone-\#(number)","user_id":""}"#,
                #"{"device_id":"phone}-\#(number)","version":"}"}"#,
                #"{"device_id":"phone-\#(number)","x":{"a":\#(number)},"version":"3"}"#,
                #"{"device_id":"phone-\#(number)","x":{"a":\#(number)},"version":"4"}"#,
                #"{"device_id":"phone-\#(number)","x":\#(number)}"#,
                #"{"device_id":"phone-\#(number)","x":0\#(number)}"#,
                #"{"device_id":"\u0070hone-\#(number)"}"#,
                #"{"device_id":"phone-\#(number)"#,
                #"{"device_id":"\#(String(repeating: "é", count: 120))\#(number)"}"#,
                #"{"device_id":"a\#(number)","x":"\#(String(repeating: "y", count: 232))"}"#,
                #"{"device_id":"a\#(number)","x":"\#(String(repeating: "y", count: 231))"}"#,
                #"{"device_id":"a\#(number)","x":"\#(String(repeating: "y", count: 230))"}"#,
                #"{"device_id":"a\#(number)","x":"\#(String(repeating: "y", count: 900))"}"#,
            ]
        }

    private static func body(_ envelope: String) -> [UInt8] {
        Array(#"{"metadata":\#(envelope),"data":[\#(reading)]}"#.utf8)
    }

    @Test func `mean what they mean to a scanner without a cache`() {
        var random = SeededGenerator(seed: 11)
        let reference = ReferenceDecoder(now: BatchGenerator.now)
        let expected = Self.envelopes.map { reference.verdict(on: Self.body($0)) }
        var scanner = BatchScanner(
            limits: Self.limits, senders: SenderCache(limits: Self.limits))
        for _ in 0..<10_000 {
            let number = Int(random.next() % UInt64(Self.envelopes.count))
            let body = Self.body(Self.envelopes[number])
            let chunks =
                random.next() % 2 == 0
                ? [body.count] : Chunking.random(seed: random.next()).lengths(of: body.count)
            let verdict = Verdict(of: &scanner, on: body, chunks: chunks, now: BatchGenerator.now)
            #expect(verdict == expected[number], "\(Self.envelopes[number])")
            if verdict != expected[number] { return }
        }
    }

    @Test func `are shared by the scanners of a thread`() throws {
        let senders = SenderCache(limits: Self.limits)
        for number in 0..<30 {
            // A new scanner each time, because the cache does not belong to the scanner.
            var scanner = BatchScanner(limits: Self.limits, senders: senders)
            let envelope = Self.envelopes[number % 3 * 3]
            scanner.begin(now: BatchGenerator.now)
            try scanner.scan(Self.body(envelope).span.bytes)
            let deviceBatch = try #require(try scanner.finish().deviceBatches.first)
            #expect(deviceBatch.deviceID == "phone-0")
            #expect(deviceBatch.attributes?.version == (number % 3 == 1 ? "1.0" : nil))
        }
    }

    @Test func `may be more than there is room for`() {
        var comparison = Comparison()
        for round in 0..<2 {
            for number in 0..<12_000 {
                let body = Self.body(#"{"device_id":"\#(number)","version":"\#(number % 7)"}"#)
                let difference = comparison.difference(on: body, .whole)
                #expect(difference == nil, "round \(round)")
                if difference != nil { return }
            }
        }
    }
}
