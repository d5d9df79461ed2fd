import Foundation
import Ingest
import Instruments
import Readings
import Scanner
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Every row of the table of answers, on one connection without a socket.
@Suite struct IngestAnswerTests {
    @Test func `a committed batch is answered with the outcome of its readings`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        #expect(try rig.output() == "")
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.status == 200)
        #expect(
            answer.body
                == #"{"status":"accepted","records":3,"stored":3,"duplicates":0,"quarantined":0}"#)
        #expect(answer.headers["x-durability"] == "committed")
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.headers["connection"] == nil)
        #expect(answer.headers["date"] == "Tue, 10 Feb 2026 14:57:12 GMT")
        #expect(rig.book.stored == 3)
        rig.expectNothingHeld()
    }

    @Test func `duplicates are reported and counted`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.sink.finishHeld(.committed(stored: 1, duplicates: 2, quarantined: 0))
        rig.run()
        let answer = try rig.answer()
        #expect(
            answer.body
                == #"{"status":"accepted","records":3,"stored":1,"duplicates":2,"quarantined":0}"#)
        #expect(rig.book.duplicates == 2)
        rig.expectNothingHeld()
    }

    @Test func `quarantined readings are named with their reasons`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(Samples.bodyWithFaults))
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.status == 200)
        #expect(
            answer.body
                == #"{"status":"accepted","records":3,"stored":1,"duplicates":0,"quarantined":2,"#
                + #""problems":[{"index":1,"reason":"lat_out_of_range","#
                + #""expected":"lat is a number from -90 to 90"},"#
                + #"{"index":2,"reason":"type_unknown","#
                + #""expected":"type is gps or vital or event"}]}"#)
        rig.expectNothingHeld()
    }

    @Test func `what nothing reads is named and counted`() throws {
        let rig = try ConnectionRig()
        let body =
            #"{"metadata":{"device_id":"d","os":"x"},"data":[{"t":"2026-02-10T14:57:07Z","#
            + #""type":"gps","lat":1,"lon":2,"hdop":1,"\"":2},{"type":"x"}]}"#
        for outcome in [BatchOutcome.committed(stored: 1, duplicates: 0, quarantined: 1), .spooled]
        {
            try rig.send(Samples.post(body))
            rig.sink.finishHeld(outcome)
            rig.run()
            let answer = try rig.answer().body
            #expect(answer.hasSuffix(#"],"ignored":["metadata.os","hdop","\""]}"#), "\(answer)")
        }
        #expect(rig.registry.figures().sum("sluice_ignored_fields_total") == 6)
        rig.expectNothingHeld()
    }

    @Test func `every reason is documented with the sentence of the answer`() throws {
        let page = try String(
            contentsOf: Project.file("deploy/README.md"), encoding: .utf8)
        for reason in QuarantineReason.allCases {
            let isThere = page.contains(
                "| `\(reason.rawValue)` | \(reason.expected(ReadingLimits())) |")
            #expect(isThere, "\(reason): \(reason.expected(ReadingLimits()))")
        }
    }

    @Test(arguments: [
        (Array("{}".data(using: .utf16)!), "UTF-16"),
        (Array("{}".data(using: .utf16LittleEndian)!), "UTF-16"),
        (Array("{}".data(using: .utf16BigEndian)!), "UTF-16"),
        ([0x1F, 0x8B, 8, 0], "Content-Encoding: gzip"),
        ([0x04, 0x22, 0x4D, 0x18], "Content-Encoding: lz4"),
        ([0x78, 0x9C, 0, 0], "Content-Encoding: deflate"),
        ([0x28, 0xB5, 0x2F, 0xFD], "Content-Encoding: zstd"),
    ])
    func `a body in another form is told what it looks like`(bytes: [UInt8], hint: String) throws {
        for type in ["application/json", "application/x-ndjson"] {
            let rig = try ConnectionRig()
            let head = Samples.head(length: bytes.count, fields: ["Content-Type: \(type)"])
            try rig.send(Array(head.utf8) + bytes)
            let answer = try rig.answer()
            #expect(answer.status == 400 && answer.body.contains(hint), "\(answer)")
        }
    }

    private static let lines =
        #"{"type":"vital","t":"2026-02-10T14:57:02Z","code":1,"val":72,"device_id":"a"}"#
        + "\nnot json\n"
        + #"{"type":"gps","t":"2026-02-10T14:57:02Z","lat":1,"lon":2,"device_id":"b"}"#

    /// By the way around the HTTP decoder and through it, compressed or not.
    @Test(arguments: ["X: y", "Proxy-Connection: x"], [false, true])
    func `lines are readings of devices that each names`(field: String, isCompressed: Bool) throws {
        let rig = try ConnectionRig()
        let fields = ["Content-Type: application/x-ndjson; charset=utf-8", field]
        let body = Array(Self.lines.utf8)
        try rig.send(
            isCompressed
                ? Samples.post(compressed: Samples.zstd(body), "zstd", fields: fields)
                : Array(Samples.head(length: body.count, fields: fields).utf8) + body)
        let batch = try #require(rig.sink.heldBatches.first)
        #expect(batch.deviceBatches.map(\.deviceID) == ["a", "b", ""])
        #expect(batch.deviceBatches.map(\.rowCount) == [1, 1, 0])
        rig.commitHeld()
        #expect(
            try rig.answer().body
                == #"{"status":"accepted","records":3,"stored":2,"duplicates":0,"quarantined":1,"#
                + #""problems":[\#(problem(1, .lineInvalid))]}"#)
        rig.expectNothingHeld()
    }

    @Test func `an array of readings needs no envelope`() throws {
        let rig = try ConnectionRig()
        for (body, records) in [("[]", 0), ("[{}, {\"device_id\":\"d\"}]", 2)] {
            try rig.send(Samples.post(body))
            rig.commitHeld()
            #expect(try rig.answer().body.contains(#""records":\#(records),"stored":0"#))
        }
        try rig.send(Samples.post("[{},7]"))
        let answer = try rig.answer()
        #expect(answer.status == 422 && answer.body.contains(#""loc":["body",1]"#), "\(answer)")
        rig.expectNothingHeld()
    }

    private func problem(_ index: Int, _ reason: QuarantineReason) -> String {
        #"{"index":\#(index),"reason":"\#(reason.rawValue)","expected":"\#(reason.expected(ReadingLimits()))"}"#
    }

    @Test func `a reading that only the database refused is named without its index`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(Samples.bodyWithFaults))
        rig.sink.finishHeld(
            .committed(
                stored: 0, duplicates: 0, quarantined: 3,
                refusals: LaneRefusals(.deviceKeyClash, 1)))
        rig.run()
        // The whole batch was quarantined, so its indexes are known after all.
        #expect(
            try rig.answer().body
                == #"{"status":"accepted","records":3,"stored":0,"duplicates":0,"quarantined":3,"#
                + #""problems":[\#(problem(0, .deviceKeyClash)),"#
                + "\(problem(1, .latitudeOutOfRange)),\(problem(2, .typeUnknown))]}")

        try rig.send(Samples.post())
        rig.sink.finishHeld(
            .committed(
                stored: 1, duplicates: 0, quarantined: 2, refusals: LaneRefusals(.timeTooOld, 2)))
        rig.run()
        #expect(
            try rig.answer().body
                == #"{"status":"accepted","records":3,"stored":1,"duplicates":0,"quarantined":2,"#
                + #""problems":[],"unplaced":[{"reason":"t_too_old","#
                + #""expected":"\#(QuarantineReason.timeTooOld.expected(ReadingLimits()))","readings":2}]}"#
        )
        rig.expectNothingHeld()
    }

    @Test func `at most a hundred indexes are named of readings that the database refused`() throws
    {
        let rig = try ConnectionRig()
        let reading = #"{"t":"2026-02-10T14:57:00Z","type":"vital","code":1,"val":60}"#
        let readings = [String](repeating: reading, count: 150).joined(separator: ",")
        try rig.send(Samples.post(#"{"metadata":{"device_id":"x"},"data":[\#(readings)]}"#))
        rig.sink.finishHeld(
            .committed(
                stored: 0, duplicates: 0, quarantined: 150,
                refusals: LaneRefusals(.timeTooOld, 150)))
        rig.run()
        let body = try rig.answer().body
        #expect(body.hasSuffix(",\(problem(99, .timeTooOld))]}"), "\(body.suffix(200))")
        #expect(body.split(separator: "index").count == 101)
    }

    @Test func `an empty batch is accepted`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(#"{"data":[],"metadata":{"device_id":"x"}}"#))
        rig.commitHeld()
        #expect(
            try rig.answer().body
                == #"{"status":"accepted","records":0,"stored":0,"duplicates":0,"quarantined":0}"#)
    }

    @Test func `no more than a hundred problems are named`() throws {
        let rig = try ConnectionRig()
        let body =
            #"{"metadata":{"device_id":"x"},"data":["#
            + Array(repeating: "{}", count: 150).joined(separator: ",") + "]}"
        try rig.send(Samples.post(body))
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.problems?.count == 100)
        #expect(answer.number("quarantined") == 150)
    }

    @Test(arguments: [
        ("", 0, "Not JSON: the body ends too soon"),
        (#"{"metadata":{"device_id":"x"},"data":["#, 38, "Not JSON: the body ends too soon"),
        (#"{"metadata":{"device_id":"x"},"data":[]]"#, 39, "Not JSON: unexpected byte ']'"),
        ("hello", 0, "Not JSON: unexpected byte 'h'"),
        ("{\u{1}", 1, "Not JSON: unexpected byte 0x01"),
    ])
    func `input that is not JSON is refused whole with its offset`(
        body: String, offset: Int, detail: String
    ) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(body))
        let answer = try rig.answer()
        #expect(answer.status == 400)
        #expect(answer.number("offset") == offset)
        #expect(answer.detail == detail)
        #expect(rig.sink.offers == 0)
        rig.expectNothingHeld()
    }

    @Test func `invalid UTF-8 is refused with its offset`() throws {
        let rig = try ConnectionRig()
        let body = Array(#"{"metadata":{"device_id":""#.utf8) + [0xC3, 0x28]
        try rig.send(Array(Samples.head(length: body.count).utf8) + body)
        let answer = try rig.answer()
        #expect(answer.status == 400)
        #expect(answer.number("offset") == 26)
        #expect(answer.detail == "Not JSON: invalid UTF-8")
        rig.expectNothingHeld()
    }

    @Test(arguments: [
        (#"null"#, #"["body"]"#, "dict_type"),
        (#"{"data":[]}"#, #"["body","metadata"]"#, "missing"),
        (#"{"metadata":{},"data":[]}"#, #"["body","metadata","device_id"]"#, "missing"),
        (
            #"{"metadata":{"device_id":5},"data":[]}"#, #"["body","metadata","device_id"]"#,
            "string_type"
        ),
        (#"{"metadata":{"device_id":"x"}}"#, #"["body","data"]"#, "missing"),
        (#"{"metadata":{"device_id":"x"},"data":{}}"#, #"["body","data"]"#, "list_type"),
        (#"{"metadata":{"device_id":"x"},"data":[{},7]}"#, #"["body","data",1]"#, "dict_type"),
    ])
    func `a wrong envelope is answered with the place and the reason`(
        body: String, location: String, type: String
    ) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(body))
        let answer = try rig.answer()
        #expect(answer.status == 422)
        #expect(answer.body.contains(#""loc":"# + location))
        #expect(answer.body.contains(#""type":""# + type))
        #expect(rig.sink.offers == 0)
        rig.expectNothingHeld()
    }

    @Test func `a missing device id is reported as FastAPI does`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(#"{"metadata":{},"data":[]}"#))
        #expect(
            try rig.answer().body
                == #"{"detail":[{"loc":["body","metadata","device_id"],"#
                + #""msg":"Field required","type":"missing"}]}"#)
    }

    @Test func `a database that becomes unreachable is a 503`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.sink.finishHeld(.unavailable(retryAfter: .seconds(2)))
        rig.run()
        let answer = try rig.answer()
        #expect(answer.status == 503)
        #expect(answer.detail == "Database unavailable")
        #expect(answer.headers["retry-after"] != nil)
        #expect(answer.headers["x-durability"] == nil)
        #expect(rig.book.refused == 3)
        rig.expectNothingHeld()
    }

    @Test func `a database that refuses is a 500 without its message`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.sink.finishHeld(.refused(sqlState: "42P01"))
        rig.run()
        let answer = try rig.answer()
        #expect(answer.status == 500)
        #expect(!answer.body.contains("42P01"))
        rig.expectNothingHeld()
    }
}
