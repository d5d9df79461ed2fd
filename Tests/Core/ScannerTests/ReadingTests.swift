import Readings
import Scanner
import ScannerSupport
import Testing

/// One reading without its braces, and its first fault.
struct ReadingCase: CustomTestStringConvertible, Sendable {
    let fields: String
    /// Nil: the reading is valid.
    let reason: QuarantineReason?

    init(_ fields: String, _ reason: QuarantineReason?) {
        self.fields = fields
        self.reason = reason
    }

    var testDescription: String { String(fields.prefix(150)) }

    static func gps(_ fields: String, _ reason: QuarantineReason? = nil) -> Self {
        Self(#""type":"gps","t":"2026-02-10T10:00:00Z",\#(fields)"#, reason)
    }

    static func vital(_ fields: String, _ reason: QuarantineReason? = nil) -> Self {
        Self(#""type":"vital","t":"2026-02-10T10:00:00Z",\#(fields)"#, reason)
    }

    static func event(_ fields: String, _ reason: QuarantineReason? = nil) -> Self {
        Self(#""type":"event","t":"2026-02-10T10:00:00Z",\#(fields)"#, reason)
    }

    static func time(_ json: String, _ reason: QuarantineReason? = nil) -> Self {
        Self(#""type":"vital","t":\#(json),"code":1,"val":2"#, reason)
    }
}

@Suite struct `A reading` {
    @Test(arguments: ReadingCase.whole + ReadingCase.times)
    func `is checked as a whole first`(_ reading: ReadingCase) {
        check(reading)
    }

    @Test(arguments: ReadingCase.positions)
    func `of a position has a place on Earth`(_ reading: ReadingCase) {
        check(reading)
    }

    @Test(arguments: ReadingCase.vitals)
    func `of a vital has a whole code and a finite value`(_ reading: ReadingCase) {
        check(reading)
    }

    @Test(arguments: ReadingCase.events)
    func `of an event has a label that PostgreSQL can hold`(_ reading: ReadingCase) {
        check(reading)
    }

    /// Also with white space and unknown keys, which take another path through the scanner.
    private func check(_ reading: ReadingCase) {
        let comma = reading.fields.isEmpty ? "" : ","
        let texts = ["{\(reading.fields)}", "{ \(reading.fields) \(comma) \"x\" : [ ] }"]
        for text in texts {
            let body = batch([text])
            let splits = (0...body.count).map { Chunking.split(at: $0) }
            let batch = agreed(
                on: body, body.count < 600 ? usualChunkings + splits : usualChunkings
            )
            .batch
            #expect(batch?.received == 1)
            #expect(batch?.problems.first?.reason == reading.reason)
            if reading.reason != nil {
                #expect(batch?.devices[0].quarantined.map(\.body) == [Array(text.utf8)])
            }
        }
    }
}
