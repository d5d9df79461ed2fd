import Readings
import Scanner
import ScannerSupport
import Testing

@Suite struct `A metric by name` {
    private func vital(_ members: String) -> String {
        #"{"type":"vital","t":"2026-02-10T10:00:00Z","val":1,\#(members)}"#
    }

    private static func name(_ number: Int) -> String { "metric_\(number)" }

    @Test(
        arguments: [
            (#""metric":"a""#, nil, ["a"]), (#""metric":"a","code":null"#, nil, ["a"]),
            (#""metric":"hk.Step""#, .metricInvalid, []), (#""metric":"""#, .metricInvalid, []),
            (#""metric":7"#, .metricInvalid, []), (#""metric":null"#, .codeMissing, []),
            (#""metric":"a","code":1"#, nil, []), (#""metric":7,"code":1"#, nil, []),
            (#""metric":"a","code":"x""#, .codeInvalid, []),
            (#""metric":"a","metric":"a""#, .duplicateKey, []),
            (#""metric":"\u0061-b.c_9""#, nil, ["a-b.c_9"]),
        ] as [(String, QuarantineReason?, [String])])
    func `stands in place of a code`(
        members: String, reason: QuarantineReason?, names: [String]
    ) throws {
        let batch = try #require(agreed(on: batch([vital(members)])).batch)
        #expect(batch.problems.first?.reason == reason)
        #expect(batch.metricNames == names)
        #expect(batch.devices[0].named.count == names.count)
        #expect(batch.devices[0][.vital].count == (reason == nil && names.isEmpty ? 1 : 0))
        // A name beside a code is ignored, and said to be.
        let isIgnored = reason == nil && names.isEmpty
        #expect(batch.ignored == (isIgnored ? [Array("metric".utf8)] : []))
    }

    @Test func `is one of at most a thousand in a batch`() throws {
        let readings = (0..<1002).map { vital(#""metric":"\#(Self.name($0))""#) }
        let body = ScannerTests.batch(readings + [readings[0]])
        let batch = try #require(agreed(on: body, [.whole, .pieces(of: 1460)]).batch)
        #expect(batch.metricNames == (0..<1000).map(Self.name))
        #expect(batch.problems.map(\.index) == [1000, 1001])
        #expect(batch.problems.allSatisfy { $0.reason == .metricTooMany })
        #expect(batch.devices[0].named.count == 1001)
    }

    /// The envelope's device, another one, and the envelope's before it is known.
    @Test(arguments: [true, false])
    func `gets a code, or is quarantined without one`(isDataFirst: Bool) throws {
        let readings = [
            vital(#""metric":"b""#), vital(#""metric":"a","device_id":"w""#), vital(#""code":5"#),
            vital(#""metric":"a","device_id":"d""#), vital(#""metric":"c""#),
        ]
        let parts = [
            #""metadata":{"device_id":"d"}"#, #""data":[\#(readings.joined(separator: ","))]"#,
        ]
        let body = "{\((isDataFirst ? parts.reversed() : parts).joined(separator: ","))}"
        agreed(on: Array(body.utf8))
        var scanner = BatchScanner(limits: ReadingLimits())
        scanner.begin(now: BatchGenerator.now)
        try scanner.scan(Array(body.utf8).span.bytes)
        let scanned = try scanner.finish()
        let codes: [String: Int16] = ["a": 1000, "b": -2]
        let batch = scanned.resolved(scanned.metricNames.map { codes[$0] })
        #expect(batch.metricNames.isEmpty)
        func plain(_ code: Int) throws -> [UInt8] {
            let body = ScannerTests.batch([vital(#""code":\#(code)"#)])
            return try #require(agreed(on: body).batch).devices[0][.vital].tuples
        }
        #expect(
            batch.deviceBatches[0].tuples(of: .vital) == (try plain(5) + plain(-2) + plain(1000)))
        #expect(batch.deviceBatches[1].tuples(of: .vital).count == (try plain(1).count))
        #expect(batch.deviceBatches.map(\.rowCount) == [3, 1])
        let quarantined = batch.deviceBatches[0].quarantined
        #expect(quarantined.map(\.reason) == [.metricTooMany])
        #expect(
            String(decoding: quarantined[0].body, as: UTF8.self)
                == #"{"t":"2026-02-10T10:00:00.000000Z","type":"vital","metric":"c","val":1.0}"#)
    }
}
