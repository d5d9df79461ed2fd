import Ingest
import Instruments
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Decisions that need only the head, before the body arrives.
@Suite struct IngestRefusalTests {
    @Test(arguments: [nil, "", "wrong", "the-good-ke", "the-good-key2"])
    func `a missing or wrong key is answered before anything else`(key: String?) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post("not json at all", key: key, fields: ["Content-Type: x/y"]))
        let answer = try rig.answer()
        #expect(answer.status == 401)
        #expect(answer.body == #"{"detail":"Unauthorized"}"#)
        #expect(answer.headers["www-authenticate"] == "X-API-Key")
        #expect(rig.sink.offers == 0)
        #expect(rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a key for something else is called that, before anything else`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post("not json", key: "app-key", fields: ["Content-Type: x/y"]))
        let answer = try rig.answer()
        #expect(answer.status == 403)
        #expect(answer.body == #"{"detail":"this key lacks the scope ingest"}"#)
        #expect(answer.headers["www-authenticate"] == nil)
        #expect(rig.sink.offers == 0)
        #expect(rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a repeated key counts as missing`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["x-api-key: \(FakeKeys.good)"]))
        #expect(try rig.answer().status == 401)
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
    func `JSON is accepted in every spelling`(type: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["Content-Type: \(type)"]))
        #expect(rig.sink.heldCount == 1)
    }

    @Test(arguments: ["br", "gzip, deflate", "gzip,gzip", "identity;q=1"])
    func `an unknown encoding is refused`(encoding: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["Content-Encoding: \(encoding)"]))
        let answer = try rig.answer()
        #expect(answer.status == 415)
        #expect(answer.headers["accept-encoding"] == "gzip, deflate, lz4, zstd, identity")
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

    @Test func `a body that is declared too large is refused before it arrives`() throws {
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
}
