import Ingest
import Instruments
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTP
@testable import HTTPSupport

/// How a connection proceeds from request to request.
@Suite struct IngestConnectionTests {
    @Test func `a request may be cut anywhere`() throws {
        let request = Array(Samples.post(fields: ["Content-Type: application/json"]).utf8)
        let rig = try ConnectionRig()
        for cut in 1..<request.count {
            try rig.send(request[..<cut])
            try rig.send(request[cut...])
            rig.commitHeld()
            let answer = try rig.answer()
            try #require(answer.number("stored") == 3, "cut at \(cut): \(answer)")
        }
        rig.expectNothingHeld()
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1000])
    func `a request may arrive in pieces of any size`(size: Int) throws {
        let rig = try ConnectionRig()
        var rest = Array(Samples.post(Samples.body(readings: 30)).utf8)[...]
        while !rest.isEmpty {
            try rig.send(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        rig.commitHeld()
        #expect(try rig.answer().number("stored") == 30)
        rig.expectNothingHeld()
    }

    @Test(arguments: [1, 10, 1460, 1_000_000])
    func `a chunked body is a body`(size: Int) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.chunkedPost(Samples.body(readings: 40), every: size))
        rig.commitHeld()
        #expect(try rig.answer().number("stored") == 40)
        rig.expectNothingHeld()
    }

    @Test func `a client that expects a 100 gets it once it is admitted`() throws {
        let rig = try ConnectionRig()
        let length = Samples.body.utf8.count
        try rig.send(Samples.head(length: length, fields: ["Expect: 100-continue"]))
        #expect(try rig.output() == "HTTP/1.1 100 Continue\r\n\r\n")
        try rig.send(Samples.body)
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        #expect(rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a client that expects a 100 gets its refusal at once`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.head(length: 100, key: "no", fields: ["Expect: 100-Continue"]))
        let answer = try rig.answer()
        #expect(answer.status == 401)
        // The client may send its body or not, so the start of the next request would be unknown.
        #expect(answer.headers["connection"] == "close")
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `an HTTP 1,0 client does not get a 100`() throws {
        let rig = try ConnectionRig()
        try rig.send(
            Samples.head(
                length: Samples.body.utf8.count, version: "1.0", fields: ["Expect: 100-continue"]))
        #expect(try rig.output() == "")
    }

    @Test func `a connection is closed when the client asks for it`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["Connection: close"]))
        rig.commitHeld()
        #expect(try rig.answer().headers["connection"] == "close")
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `an HTTP 1,0 connection is closed unless the client asks for it`() throws {
        let closing = try ConnectionRig()
        try closing.send(Samples.post(version: "1.0"))
        closing.commitHeld()
        #expect(try closing.answer().headers["connection"] == "close")
        #expect(!closing.isOpen)

        let keeping = try ConnectionRig()
        for _ in 0..<2 {
            try keeping.send(Samples.post(version: "1.0", fields: ["Connection: keep-alive"]))
            keeping.commitHeld()
            #expect(try keeping.answer().headers["connection"] == "keep-alive")
        }
        #expect(keeping.isOpen)
    }

    @Test func `a connection that asks for an upgrade ends with its answer`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(fields: ["Connection: Upgrade", "Upgrade: h2c"]))
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.status == 200)
        #expect(answer.headers["connection"] == "close")
        #expect(!rig.isOpen)
    }

    @Test func `a client that has closed its sending side is answered all the same`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.closeInput()
        #expect(rig.isOpen)
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `pipelined requests are all answered after the client has closed its sending side`()
        throws
    {
        let rig = try ConnectionRig()
        try rig.send(Samples.post() + Samples.post())
        rig.closeInput()
        rig.commitHeld()
        rig.commitHeld()
        #expect(try rig.answers().map(\.status) == [200, 200])
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a client that closes its sending side within a body gets an error`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post().dropLast(10).description)
        rig.closeInput()
        let answer = try rig.answer()
        #expect(answer.status == 400)
        #expect(answer.detail == "The request ended before its body was complete")
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `an idle connection whose client closes its sending side is closed`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.closeInput()
        #expect(!rig.isOpen)
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n", "GET\r\n\r\n", "POST /ingest HTTP/9.9\r\n\r\n",
        "POST /ingest HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /ingest HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /ingest HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ])
    func `input that is not HTTP is answered and closed`(text: String) throws {
        let rig = try ConnectionRig()
        try rig.send(text)
        let answer = try rig.answer()
        #expect(answer.status == 400)
        #expect(answer.detail == "Not a valid HTTP request")
        #expect(answer.headers["connection"] == "close")
        #expect(!rig.isOpen)
    }

    @Test func `a broken chunk ends the request and the connection`() throws {
        let rig = try ConnectionRig()
        try rig.send(
            Samples.head(length: nil, fields: ["Transfer-Encoding: chunked"]) + "5\r\n{\"met\r\nzz")
        #expect(try rig.answer().status == 400)
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `a batch is answered although the input after it is not HTTP`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post() + "rubbish\r\n\r\n")
        #expect(try rig.output() == "")
        rig.commitHeld()
        #expect(try rig.answers().map(\.status) == [200, 400])
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `header fields are limited in size and number`() throws {
        for fields in [
            ["X-Long: " + String(repeating: "x", count: 40_000)],
            (0..<8).map { "X-\($0): " + String(repeating: "x", count: 5000) },
            (0..<200).map { "X-\($0): x" },
        ] {
            let rig = try ConnectionRig()
            try rig.send(Samples.post(fields: fields))
            let answer = try rig.answer()
            #expect(answer.status == 431)
            #expect(!rig.isOpen)
        }
    }

    @Test(arguments: [
        "/ingest", "/ingest/", "/ingest?a=b", "/ingest/?a=b", "http://localhost/ingest",
        "HTTP://LOCALHOST/ingest/?x", "//ingest", "///ingest//?a=//", "http://localhost//ingest",
    ])
    func `the path may have a query, more slashes and a host`(path: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(path: path))
        #expect(rig.sink.heldCount == 1)
    }

    @Test(arguments: [
        "/", "/ingest2", "/ingest/x", "/Ingest", "/health", "/x?/ingest",
    ])
    func `every other path is left to the router`(path: String) throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post("hello", path: path))
        #expect(try rig.output() == "")
        #expect(rig.sink.offers == 0)
        var parts: [String] = []
        while let part = try rig.channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head): parts.append(head.uri)
            case .body(let body): parts.append(String(buffer: body))
            case .end: parts.append("end")
            }
        }
        #expect(parts == [path, "hello", "end"])
    }
}
