import Ingestion
import Instruments
import Testing

@testable import Edge

/// Every row of the table of answers, one connection, no socket.
@Suite struct IngestAnswerTests {
    @Test func `a committed batch is answered with what became of its readings`() throws {
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

    @Test func `duplicates are told and counted`() throws {
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
                + #""problems":[{"index":1,"reason":"lat_out_of_range"},"#
                + #"{"index":2,"reason":"type_unknown"}]}"#)
        rig.expectNothingHeld()
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

    @Test(arguments: [nil, "", "wrong", "the-good-ke", "the-good-key2"])
    func `a missing or wrong key is told before anything else`(key: String?) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post("not json at all", key: key, fields: ["Content-Type: x/y"]))
        let answer = try rig.answer()
        #expect(answer.status == 401)
        #expect(answer.body == #"{"detail":"Unauthorized"}"#)
        #expect(rig.sink.offers == 0)
        #expect(rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a key that stands twice is none`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["x-api-key: \(FakeKeys.good)"]))
        #expect(try rig.answer().status == 401)
    }

    @Test(arguments: [
        ("", 0, "Not JSON: the body ends too soon"),
        (#"{"metadata":{"device_id":"x"},"data":["#, 38, "Not JSON: the body ends too soon"),
        (#"{"metadata":{"device_id":"x"},"data":[]]"#, 39, "Not JSON: unexpected byte ']'"),
        ("hello", 0, "Not JSON: unexpected byte 'h'"),
        ("{\u{1}", 1, "Not JSON: unexpected byte 0x01"),
    ])
    func `what is not JSON is refused whole with its offset`(
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
        (#"[]"#, #"["body"]"#, "dict_type"),
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
    func `a wrong envelope is told where and why`(
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

    @Test func `a missing device id is told as FastAPI tells it`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(#"{"metadata":{},"data":[]}"#))
        #expect(
            try rig.answer().body
                == #"{"detail":[{"loc":["body","metadata","device_id"],"#
                + #""msg":"Field required","type":"missing"}]}"#)
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json", "",
        "application/json, text/plain",
    ])
    func `another content type is refused`(type: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["Content-Type: \(type)"]))
        #expect(try rig.answer().status == 415)
        rig.expectNothingHeld()
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=UTF-8; x=\"y\"", "application/json ;a=b",
    ])
    func `JSON is accepted however it is spelt`(type: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["Content-Type: \(type)"]))
        #expect(rig.sink.heldCount == 1)
    }

    @Test(arguments: ["br", "zstd", "gzip, deflate", "gzip,gzip", "identity;q=1"])
    func `an encoding that is not understood is refused`(encoding: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["Content-Encoding: \(encoding)"]))
        let answer = try rig.answer()
        #expect(answer.status == 415)
        #expect(answer.headers["accept-encoding"] == "gzip, deflate, lz4, identity")
        rig.expectNothingHeld()
    }

    @Test func `encodings in several fields are several encodings`() throws {
        let rig = try ConnectionRig()
        try rig.send(
            Samples.post(fields: ["Content-Encoding: gzip", "Content-Encoding: gzip"]))
        #expect(try rig.answer().status == 415)
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])
    func `another method is refused and the right one named`(method: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.head(length: 0, method: method, key: nil))
        var output = try rig.output()[...]
        let answer = try #require(
            try ParsedAnswer.take(from: &output, isHead: method == "HEAD"))
        #expect(output.isEmpty)
        #expect(answer.status == 405)
        #expect(answer.headers["allow"] == "POST")
        #expect(answer.headers["content-length"] == "31")
    }

    @Test func `a body that is declared too large is refused before it comes`() throws {
        let rig = try ConnectionRig { $0.bodyBytesMax = 1024 * 1024 }
        try rig.send(Samples.head(length: 1024 * 1024 + 1))
        let answer = try rig.answer()
        #expect(answer.status == 413)
        #expect(answer.headers["connection"] == "close")
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test(arguments: ["18446744073709551615", "9223372036854775807"])
    func `an absurd length is too large`(length: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.head(length: nil, fields: ["Content-Length: \(length)"]))
        #expect(try rig.answer().status == 413)
        rig.expectNothingHeld()
    }

    @Test func `a chunked body that grows too large is refused`() throws {
        let rig = try ConnectionRig { $0.bodyBytesMax = 10_000 }
        try rig.send(Samples.chunkedPost(Samples.body(readings: 1000), every: 1000))
        #expect(try rig.answer().status == 413)
        #expect(!rig.isOpen)
        let book = rig.book
        #expect(book.refused > 0 && book.received == book.refused)
        rig.expectNothingHeld()
    }

    @Test func `an idempotency key is accepted up to its limit`() throws {
        let rig = try ConnectionRig()
        let longest = String(repeating: "k", count: 255)
        try rig.send(Samples.post(fields: ["Idempotency-Key: \(longest)"]))
        #expect(rig.sink.heldCount == 1)
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        try rig.send(Samples.post(fields: ["Idempotency-Key: \(longest)k"]))
        #expect(try rig.answer().status == 400)
        rig.expectNothingHeld()
    }

    @Test(arguments: [
        Offer.full(retryAfter: .milliseconds(2500)), .unavailable(retryAfter: .milliseconds(2500)),
    ])
    func `a sink that says no is heard before the body`(offer: Offer) throws {
        let rig = try ConnectionRig()
        rig.sink.set(refusal: offer)
        try rig.send(Samples.head(length: Samples.body.utf8.count))
        let answer = try rig.answer()
        #expect(answer.status == 503)
        let retryAfter = try #require(Int(answer.headers["retry-after"] ?? ""))
        #expect((3...4).contains(retryAfter))
        // The short rest is swallowed and the connection lives on.
        try rig.send(Samples.body)
        rig.sink.set(refusal: nil)
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.expectNothingHeld()
    }

    @Test(arguments: [
        Offer.full(retryAfter: .seconds(1)), .unavailable(retryAfter: .seconds(1)),
    ])
    func `a batch that finds no room is refused`(offer: Offer) throws {
        let rig = try ConnectionRig(.answer(offer))
        try rig.send(Samples.post())
        let answer = try rig.answer()
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        #expect(rig.book.refused == 3)
        #expect(rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a database that is away in the middle is a 503`() throws {
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

    @Test func `a database that refuses is a 500 without its words`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.sink.finishHeld(.refused(sqlState: "42P01"))
        rig.run()
        let answer = try rig.answer()
        #expect(answer.status == 500)
        #expect(!answer.body.contains("42P01"))
        rig.expectNothingHeld()
    }

    @Test func `bytes in flight are limited over all requests`() throws {
        let rig = try ConnectionRig {
            $0.bodyBytesMax = 2048
            $0.inFlightBytesMax = 2048
        }
        #expect(rig.budget.reserve(2048 - Samples.body.utf8.count + 1))
        try rig.send(Samples.head(length: Samples.body.utf8.count))
        let answer = try rig.answer()
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        rig.budget.release(2048 - Samples.body.utf8.count + 1)
        rig.expectNothingHeld()
    }

    @Test func `a chunked body takes its share as it grows`() throws {
        let rig = try ConnectionRig {
            $0.bodyBytesMax = 4096
            $0.inFlightBytesMax = 4096
        }
        try rig.send(Samples.head(length: nil, fields: ["Transfer-Encoding: chunked"]))
        #expect(rig.budget.inFlightBytes == 0)
        let body = Samples.body(readings: 10)
        try rig.send("100\r\n" + body.prefix(256) + "\r\n")
        #expect(rig.budget.inFlightBytes == 256)
        #expect(rig.budget.reserve(3840))
        try rig.send("100\r\n" + body.dropFirst(256).prefix(256) + "\r\n")
        #expect(try rig.answer().status == 503)
        #expect(rig.budget.inFlightBytes == 3840)
        rig.budget.release(3840)
        rig.expectNothingHeld()
    }
}
