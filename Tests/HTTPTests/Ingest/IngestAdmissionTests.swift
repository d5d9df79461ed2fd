import Auth
import Ingest
import Instruments
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Requests that are refused for lack of room.
@Suite struct IngestAdmissionTests {
    @Test func `a chunked body that grows too large is refused`() throws {
        let rig = try ConnectionRig { $0.bodyBytesMax = 10_000 }
        try rig.send(Samples.chunkedPost(Samples.body(readings: 1000), every: 1000))
        #expect(try rig.answer().status == 413)
        #expect(!rig.isOpen)
        let book = rig.book
        #expect(book.refused > 0 && book.received == book.refused)
        rig.expectNothingHeld()
    }

    @Test(arguments: [
        Offer.full(retryAfter: .milliseconds(2500)), .unavailable(retryAfter: .milliseconds(2500)),
    ])
    func `a sink's refusal is answered before the body`(offer: Offer) throws {
        let rig = try ConnectionRig()
        rig.sink.set(refusal: offer)
        try rig.send(Samples.head(length: Samples.body.utf8.count))
        let answer = try rig.answer()
        #expect(answer.status == 503)
        let retryAfter = try #require(Int(answer.headers["retry-after"] ?? ""))
        #expect((3...4).contains(retryAfter))
        // The short remainder is discarded and the connection is kept.
        try rig.send(Samples.body)
        rig.sink.set(refusal: nil)
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.expectNothingHeld()
    }

    /// The first chunk may end within the envelope.
    @Test(arguments: [20, 20_000])
    func `a large body is refused once its device's lane is known to have no room`(
        chunkBytes: Int
    ) throws {
        let rig = try ConnectionRig()
        let body = Array(Samples.body(readings: 1000).utf8)
        try #require(body.count > 40_000)
        rig.sink.set(deviceRefusal: .full(retryAfter: .seconds(2)))
        try rig.send(Samples.head(length: body.count))
        #expect(try rig.output() == "")
        try rig.send(body[..<chunkBytes])
        if chunkBytes < 20_000 { try rig.send(body[chunkBytes..<20_000]) }
        #expect(try rig.answer().status == 503)
        #expect(rig.sink.offers == 0)
        #expect(rig.sink.bytesAskedOfDevices == [body.count])
        // Hardly any of it was scanned.
        #expect(rig.book.refused < 20 && rig.book.received == rig.book.refused)
        // The rest is discarded and the connection is kept.
        try rig.send(body[20_000...])
        rig.sink.set(deviceRefusal: nil)
        try rig.send(Samples.head(length: body.count))
        try rig.send(body)
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.expectNothingHeld()
    }

    @Test func `a body of unknown size is asked about with what has come of it`() throws {
        let rig = try ConnectionRig()
        rig.sink.set(deviceRefusal: .full(retryAfter: .seconds(2)))
        try rig.send(Samples.chunkedPost(Samples.body(readings: 1000), every: 5000))
        #expect(try rig.answer().status == 503)
        #expect(rig.sink.bytesAskedOfDevices == [5000])
        #expect(rig.sink.offers == 0 && rig.book.refused < 20)
        rig.expectNothingHeld()
    }

    @Test func `small bodies are offered without another question`() throws {
        let rig = try ConnectionRig()
        rig.sink.set(deviceRefusal: .full(retryAfter: .seconds(2)))
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        #expect(rig.sink.bytesAskedOfDevices == [])
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

    /// A node that has started while its database is unreachable.
    private struct UnreadKeys: KeyAuthority {
        let knowsAllKeys = false

        func authenticate(_ presented: String, for scope: KeyScope) -> KeyLimits? {
            presented == "configured" ? KeyLimits(KeyID(name: "c", id: nil)) : nil
        }
    }

    @Test func `an unknown key is not called wrong before the keys have been read`() throws {
        let rig = try ConnectionRig(keys: UnreadKeys())
        try rig.send(Samples.post())
        let answer = try rig.answer()
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        try rig.send(Samples.post(key: nil))
        #expect(try rig.answer().status == 401)
        try rig.send(Samples.post(key: "configured"))
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.expectNothingHeld()
    }

    /// A key with its own account.
    private struct LimitedKeys: KeyAuthority {
        let account: KeyLimits

        func authenticate(_ presented: String, for scope: KeyScope) -> KeyLimits? { account }
    }

    @Test func `a key that has used up its quota gets a 429 and the time to wait`() throws {
        let rate = Samples.body.utf8.count / 10
        let account = KeyLimits(KeyID(name: "k", id: 1), bytesPerSecond: rate)
        let rig = try ConnectionRig(keys: LimitedKeys(account: account))
        // The burst is half a body: the first request is accepted and leaves a debt of five
        // seconds.
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        try rig.send(Samples.post())
        let answer = try rig.answer()
        #expect(answer.status == 429)
        let retryAfter = try #require(Int(answer.headers["retry-after"] ?? ""))
        #expect((1...9).contains(retryAfter))
        #expect(rig.isOpen)
        #expect(account.inFlightBytes == 0)
        rig.expectNothingHeld()
    }

    @Test func `a key with more in flight than its share makes room for others`() throws {
        let account = KeyLimits(KeyID(name: "noisy", id: 1))
        let rig = try ConnectionRig(keys: LimitedKeys(account: account)) {
            $0.bodyBytesMax = 2048
            $0.inFlightBytesMax = 2048
        }
        #expect(rig.budget.reserve(1500, for: account))
        try rig.send(Samples.head(length: Samples.body.utf8.count))
        #expect(try rig.answer().status == 503)
        rig.budget.release(1500, for: account)
        #expect(account.inFlightBytes == 0)
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

    @Test func `a chunked body reserves its share as it grows`() throws {
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

    @Test func `a large body that is refused does not cost the connection`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.head(length: 1 << 20, key: "no"))
        let answer = try rig.answer()
        #expect(answer.status == 401)
        #expect(answer.headers["connection"] == nil)
        for _ in 0..<16 { try rig.send([UInt8](repeating: UInt8(ascii: "x"), count: 65_536)) }
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.expectNothingHeld()
    }

    @Test func `bodies that are announced count as if they had arrived`() throws {
        let rig = try ConnectionRig()
        rig.loop.expectedBytes = 5000
        let length = Samples.body.utf8.count
        try rig.send(Samples.head(length: length))
        #expect(rig.sink.bytesAsked == [5000 + length])
        #expect(rig.loop.expectedBytes == 5000 + length)
        try rig.send(Samples.body)
        #expect(rig.loop.expectedBytes == 5000)
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
    }

    @Test func `a body that is refused or slow is no longer expected`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.head(length: 1000))
        #expect(rig.loop.expectedBytes == 1000)
        rig.advance(1)
        #expect(rig.loop.expectedBytes == 0)
        try rig.send("x")
        #expect(try rig.answer().status == 400)
        #expect(rig.loop.expectedBytes == 0)

        let gone = try ConnectionRig()
        try gone.send(Samples.head(length: 1000))
        gone.disconnect()
        #expect(gone.loop.expectedBytes == 0)
    }
}
