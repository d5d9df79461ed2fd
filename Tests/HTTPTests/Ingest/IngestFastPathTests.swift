import Foundation
import HTTPTypes
import Ingest
import Instruments
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Readings
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// The fast path around the HTTP decoder, compared with the path through it.
@Suite struct IngestFastPathTests {
    /// Streams of requests, each followed by the client's half-close.
    private static let streams: [String: String] = {
        let posts = [1, 2, 3].map { Samples.post(Samples.body(readings: $0)) }
        func head(_ lines: String) -> String {
            let host = lines.lowercased().contains("host:") ? "" : "Host: localhost\r\n"
            return "POST /ingest HTTP/1.1\r\n\(host)X-API-Key: \(FakeKeys.good)\r\n" + lines
                + "\r\n\r\n"
        }
        let body = Samples.body(readings: 1)
        let length = "Content-Length: \(body.utf8.count)"
        return [
            "one": posts[0],
            "three": posts.joined(),
            "faulty bodies": Samples.post("x") + posts[0] + Samples.post("") + posts[1],
            "usual fields": head(
                "Host: a\r\nConnection: Keep-Alive\r\nAccept: */*\r\nUser-Agent: a b/1 (c)\r\n"
                    + "Content-Type: application/json; charset=utf-8\r\n" + length) + body
                + posts[0],
            "names in any case": head("hOsT:a\r\nCONTENT-TYPE:Application/JSON\r\n" + length)
                + body,
            "an encoding twice": head(
                "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n" + length)
                + body + posts[0],
            "not compressed": head("Content-Encoding: lz4\r\n" + length) + body,
            "a format": Samples.post("x", path: "/in/d") + posts[0]
                + Samples.post("", path: "/in/d"),
            "a format with fields": Samples.post(
                "x", key: nil, path: "/in/d/\(FakeKeys.good)?a=%20b&a=c+",
                fields: [
                    "X-Limit-D: a b", "x-limit-d:c", "Content-Type: application/x-protobuf; a=b",
                    "Accept: */*",
                ]) + posts[0],
            "a format without a key": Samples.post("x", key: nil, path: "/in/d") + posts[0],
            "a format with spaces behind a field": Samples.post(
                "x", path: "/in/d", fields: ["X-Limit-D: a "]) + posts[0],
            "targets of a format": [
                "/in//d", "/in/d/", "/in/%zz", "/in/%41?a=%zz", "/in/d?a=1?b#c", "/in/d|e",
                "http://localhost/in/d", "/in/d?a=//", "/in/d?",
            ].map { Samples.post("x", path: $0) }.joined() + posts[0],
            "another method of a format": "PUT /in/d HTTP/1.1\r\nHost: a\r\n\r\n" + posts[0],
            "a format by a GET": "GET /in/d HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
                + posts[0],
            "a wrong key": Samples.post(key: "no") + posts[0],
            "a key twice": head("x-api-key: a\r\n" + length) + body + posts[0],
            "an empty key": Samples.post(key: "") + posts[0],
            "another type": Samples.post(fields: ["Content-Type: text/plain"]) + posts[0],
            "a long name": Samples.post(fields: ["Idempotency-Key: " + "k".repeated(256)])
                + posts[0],
            "too large": Samples.head(length: 17 << 20) + posts[0],
            "too large by far": Samples.head(length: 999_999_999_999_999) + "x",
            "no length": head("Host: a") + posts[0],
            "zeros in front": head("Content-Length: 000\(body.utf8.count)") + body + posts[0],
            "a plus in front": head("Content-Length: +\(body.utf8.count)") + body,
            "an empty length": head("Content-Length:") + posts[0],
            "the same length twice": head(length + "\r\n" + length) + body,
            "two lengths": head(length + "\r\nContent-Length: 1") + body,
            "chunked": Samples.chunkedPost(body, every: 40) + posts[0],
            "chunked with a length": head(length + "\r\nTransfer-Encoding: chunked") + body,
            "asks first": head("Expect: 100-continue\r\n" + length) + body + posts[0],
            "closes": head("Connection: close\r\n" + length) + body + posts[0],
            "upgrades": head("Connection: Upgrade\r\nUpgrade: h2c\r\n" + length) + body + posts[0],
            "spaces around": head("Host:   a  \r\nX-A:\tb\t\r\n" + length + " ") + body + posts[0],
            "a space in a name": head("Ho st: a\r\n" + length) + body,
            "a space behind a name": head("Content-Length : 3\r\n" + length) + body,
            "a folded line": head("X-A: b\r\n c\r\n" + length) + body,
            "a line without a colon": head("rubbish\r\n" + length) + body,
            "a bare LF": "POST /ingest HTTP/1.1\nX-API-Key: \(FakeKeys.good)\n\(length)\n\n\(body)",
            "a bare CR": head("X-A: b\rc\r\n" + length) + body,
            "a NUL": head("X-A: b\u{0}c\r\n" + length) + body,
            "no ASCII": head("X-A: ü\r\n" + length) + body + posts[0],
            "a name that is none": head("X@A: b\r\n" + length) + body,
            "many fields": head((0..<100).map { "X-\($0): a\r\n" }.joined() + length) + body,
            "fields that are large": head("X-A: " + "a".repeated(9000) + "\r\n" + length) + body,
            "of old": Samples.post(version: "1.0") + posts[0],
            "another path": "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + posts[0],
            "a query": Samples.post(path: "/ingest?a") + posts[0],
            "another method": "PUT /ingest HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
                + posts[0],
            "no host": "POST /ingest HTTP/1.1\r\n\(length)\r\n\r\n\(body)" + posts[0],
            "no host of old": "POST /ingest HTTP/1.0\r\n\(length)\r\n\r\n\(body)" + posts[0],
            "the same host twice": head("Host: a\r\nHost: a\r\n" + length) + body + posts[0],
            "two hosts": head("Host: a\r\nhost: b\r\n" + length) + body + posts[0],
            "no name of a host": head("Host: a/b\r\n" + length) + body + posts[0],
            "an empty host": head("Host:\r\n" + length) + body + posts[0],
            "spaces behind": head("X-A: b \r\nX-API-Key : c\r\n" + length) + body + posts[0],
            "a space behind the length": head(length + " \t") + body + posts[0],
            "a coding of transfer": head("Transfer-Encoding: gzip, chunked") + "0\r\n\r\n"
                + posts[0],
            "chunked twice": head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")
                + "0\r\n\r\n" + posts[0],
            "chunks within something": head("Transfer-Encoding: chunked, gzip") + "0\r\n\r\n",
            "chunks of old": Samples.chunkedPost(body, every: 40)
                .replacingOccurrences(of: "HTTP/1.1", with: "HTTP/1.0"),
            "extensions": Samples.chunkedPost(body, every: 40)
                .replacingOccurrences(of: "28\r\n", with: "28;a=b;c\r\n") + posts[0],
            "an empty line in front": "\r\n" + posts[0],
            "rubbish": "rubbish\r\n\r\n",
            "rubbish behind": posts[0] + "rubbish\r\n\r\n",
            "cut in a head": posts[0] + "POST /ingest HTTP/1.1\r\nHo",
            "cut in a body": posts[0] + posts[1].dropLast(5),
            "cut in a refused body": Samples.post(key: "no").dropLast(5).description,
        ]
    }()

    /// A format that answers what it sees of the head, and the size of the body.
    private static let echo = {
        let format = InputFormat(
            challenge: "Bearer", media: .any, bytesMax: 1000, contentType: nil,
            answer: { outcome, request, body in
                body.writeString(
                    "\(outcome.records) \(request.parameters) \(request.isProtobuf) "
                        + "\(request.query.fields(plusIsSpace: true)) \(request.field("X-Limit-D") ?? "")"
                )
            },
            translation: { (bytes, request) throws(RequestFailure) in
                guard bytes.byteCount > 0 else { return nil }
                var text = ReadingsText(device: request.parameters.first ?? "")
                for _ in 0..<bytes.byteCount { text.begin(.gps) }
                return text
            })
        return RouteGroup(
            [.input(.post, "/in/{device}", format), .input(.post, "/in/{device}/{key}", format)],
            envelope: .detail)
    }()

    /// `make check` tries more.
    private static let isLong = ProcessInfo.processInfo.environment["SLUICE_FUZZ_INPUTS"] != nil

    @Test(arguments: streams.keys.sorted())
    func `both paths answer the same, wherever the bytes are cut`(name: String) throws {
        let bytes = Array(try #require(Self.streams[name]).utf8)
        let expected = try Self.outcome(of: [bytes[...]], isQuick: false)
        // Places that differ in each run.
        let step = max(1, bytes.count / (Self.isLong ? 700 : 30))
        for cut in stride(from: Int.random(in: 0..<step), to: bytes.count, by: step) {
            let pieces = [bytes[..<cut], bytes[cut...]]
            let outcome = try Self.outcome(of: pieces, isQuick: true)
            try #require(outcome == expected, "cut at \(cut)")
        }
        let single = try Self.outcome(of: bytes.indices.map { bytes[$0...$0] }, isQuick: true)
        #expect(single == expected)
    }

    @Test func `both paths answer the same, whatever bytes are changed`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var dice = Dice(seed: seed)
        let streams = Self.streams.sorted { $0.key < $1.key }.filter { $0.value.utf8.count < 3000 }
        for round in 0..<(Self.isLong ? 5000 : 300) {
            var bytes = Array(streams.randomElement(using: &dice)!.value.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &dice) { Self.change(&bytes, &dice) }
            var pieces: [ArraySlice<UInt8>] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Int.random(in: 1...400, using: &dice))
                pieces.append(bytes[start..<end])
                start = end
            }
            let expected = try Self.outcome(of: [bytes[...]], isQuick: false).statuses
            let cut = try Self.outcome(of: pieces, isQuick: true).statuses
            let whole = try Self.outcome(of: [bytes[...]], isQuick: true).statuses
            let text = String(decoding: bytes, as: UTF8.self).debugDescription
            try #require(cut == expected, "seed \(seed), round \(round): \(text)")
            try #require(whole == expected, "seed \(seed), round \(round): \(text)")
        }
    }

    /// Bytes that occur in heads, and some that never do.
    private static let marks = Array("\r\n \t:;,/0149azPGH.-+\u{0}\u{7F}\"".utf8) + [0x80, 0xFF]

    private static func change(_ bytes: inout [UInt8], _ dice: inout Dice) {
        guard !bytes.isEmpty else { return }
        // Most possible faults are in the head.
        let isEarly = Int.random(in: 0..<4, using: &dice) > 0
        let place = Int.random(
            in: 0..<(isEarly ? min(250, bytes.count) : bytes.count), using: &dice)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: bytes[place] = marks.randomElement(using: &dice)!
        case 1: bytes.insert(marks.randomElement(using: &dice)!, at: place)
        case 2: bytes.remove(at: place)
        case 3: bytes[place] ^= 0x20
        case 4:
            // Repeats a line, at another place or after itself.
            let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
            let line = Array(lines.randomElement(using: &dice)!) + [10]
            let start = bytes[..<place].lastIndex(of: 10).map { $0 + 1 } ?? 0
            bytes.insert(contentsOf: line, at: start)
        default:
            bytes.removeSubrange(
                place..<min(bytes.count, place + Int.random(in: 1...20, using: &dice)))
        }
    }

    private struct Outcome: Equatable {
        let output: String
        let isOpen: Bool
        let stored: Int
        let refused: Int
        /// The heads and ends, and the number of body bytes, that reached the next handler.
        let forwarded: [Int]

        /// The statuses that HTTP decides: up to the first 400 or 422. If a body is wrong, the
        /// scanner may find the fault before or after the end of the body, depending on the pieces,
        /// and the rest of the connection depends on that. If a body ends early, the scanner may
        /// first report what is missing, or that it is truncated.
        var statuses: [String] {
            let all = output.components(separatedBy: "HTTP/1.1 ").dropFirst().map {
                String($0.prefix(3))
            }
            if let fault = all.firstIndex(where: ["400", "422"].contains) {
                return all[..<fault] + ["refused"]
            }
            return all + ["\(isOpen) \(stored) \(forwarded)"]
        }
    }

    private static func outcome(
        of pieces: [ArraySlice<UInt8>], isQuick: Bool
    ) throws -> Outcome {
        let rig = try ConnectionRig(routes: [echo]) { $0.lingerTimeout = .seconds(5) }
        try rig.wire.isQuick = isQuick
        var output = ""
        for piece in pieces where !piece.isEmpty {
            try rig.send(piece)
            output += try rig.output()
        }
        rig.closeInput()
        while rig.sink.heldCount > 0 {
            rig.commitHeld()
            output += try rig.output()
        }
        output += try rig.output()
        let isOpen = rig.isOpen
        var forwarded = [0, 0]
        while let part = try rig.channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .body(let bytes) = part {
                forwarded[1] += bytes.readableBytes
            } else {
                forwarded[0] += 1
            }
        }
        rig.disconnect()
        rig.expectNothingHeld()
        return Outcome(
            output: output, isOpen: isOpen, stored: rig.book.stored, refused: rig.book.refused,
            forwarded: forwarded)
    }

    @Test func `usual requests take the fast path, and the first other one ends it`() throws {
        let rig = try ConnectionRig(routes: [Self.echo])
        let fields = ["Content-Type: application/json", "Accept: */*", "Connection: keep-alive"]
        for path in ["/ingest", "/in/d?a=b", "/ingest"] {
            try rig.send(Samples.post(path: path, fields: fields))
            rig.commitHeld()
            #expect(try rig.answer().status == 200)
            #expect(try rig.wire.isQuick)
        }
        try rig.send(Samples.chunkedPost(Samples.body, every: 100))
        #expect(try !rig.wire.isQuick)
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.expectNothingHeld()
    }

    @Test func `a request behind a batch may need the path through the decoder`() throws {
        let rig = try ConnectionRig()
        try rig.send(
            Samples.post(Samples.body(readings: 1))
                + Samples.chunkedPost(Samples.body(readings: 2), every: 9)
                + Samples.post(Samples.body(readings: 3)))
        #expect(try rig.wire.isQuick)
        for readings in 1...3 {
            rig.commitHeld()
            #expect(try rig.answer().number("stored") == readings)
        }
        rig.expectNothingHeld()
    }

    @Test func `a request in progress when the server stops is answered`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post() + Samples.post())
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(rig.isOpen)
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.status == 200)
        #expect(answer.headers["connection"] == "close")
        #expect(!rig.isOpen)
        rig.expectNothingHeld()
    }

    @Test func `an idle connection is closed soon after the server stops`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(rig.isOpen)
        rig.advance(0.5)
        #expect(!rig.isOpen)
    }

    @Test func `a request that was being sent when the server stopped is the last`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        try rig.send(Samples.post())
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.status == 200)
        #expect(answer.headers["connection"] == "close")
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
