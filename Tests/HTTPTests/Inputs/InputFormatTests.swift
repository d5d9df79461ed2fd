import Auth
import Foundation
import HTTPTypes
import Ingest
import Instruments
import NIOCore
import Readings
import Scanner
import Testing

@testable import HTTP
@testable import HTTPSupport

/// What the server does for every format, shown by one of a test: a line `TIME LATITUDE LONGITUDE`
/// for each position.
@Suite struct InputFormatTests {
    private static let envelope = ErrorEnvelope { "error \($0.status): \($0.sentence)" }

    private static let lines = InputFormat(
        challenge: "Basic realm=\"lines\"", media: .any, bytesMax: 1000,
        spooledStatus: 200, contentType: nil,
        answer: { outcome, request, body in
            body.writeString(
                "\(outcome.records) \(outcome.quarantined) \(outcome.stored == nil ? "spooled" : "")"
                    + "\(request.parameters)")
        },
        translation: { (bytes, request) throws(RequestFailure) in
            let body = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            let lines = body.isEmpty ? request.query.value("line") ?? "" : body
            if lines.isEmpty { return nil }
            if lines.contains("?") { throw RequestFailure(.badRequest, "not lines") }
            var text = ReadingsText(
                device: request.parameters.first ?? "", user: request.basic?.user)
            for line in lines.split(separator: "\n") {
                let words = line.split(separator: " ")
                text.begin(.gps)
                text.add("t", words.first.map(String.init))
                if words.count > 1 { text.add("lat", Double(words[1])) }
                if words.count > 2 { text.add("lon", Double(words[2])) }
            }
            return text
        })

    private static func rig(_ behaviour: FakeSink.Behaviour = .hold) throws -> ConnectionRig {
        let routes = RouteGroup(
            [
                .input(.post, "/in/{device}", lines), .input(.get, "/in/{device}", lines),
                .input(.post, "/in/{device}/{key}", lines),
            ],
            envelope: envelope)
        return try ConnectionRig(behaviour, routes: [routes])
    }

    private static let line = "2026-02-10T14:57:07Z 34.5 -118.25"

    private static func post(
        _ body: String, _ fields: [String] = ["Content-Type: text/plain"],
        key: String? = FakeKeys.good, path: String = "/in/d1"
    ) -> String {
        Samples.post(body, key: key, path: path, fields: fields)
    }

    @Test func `readings of a format are answered in its own form after the commit`() throws {
        let rig = try Self.rig()
        try rig.send(Self.post("\(Self.line)\n\(Self.line)"))
        #expect(try rig.output().isEmpty)
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.status == 200)
        #expect(answer.body == #"2 0 ["d1"]"#)
        #expect(answer.headers["content-type"] == "text/plain")
        #expect(answer.headers["x-durability"] == "committed")
        #expect(rig.sink.readings == 2)
        #expect(rig.book.stored == 2)
    }

    @Test func `the rows are those of the same readings on ingest`() throws {
        let reading = #"{"t":"2026-02-10T14:57:07Z","type":"gps","lat":34.5,"lon":-118.25}"#
        let plain = Samples.post(#"{"metadata":{"device_id":"d1"},"data":["# + reading + "]}")
        let rows = try [Self.post(Self.line), plain].map { request in
            let rig = try Self.rig()
            try rig.send(request)
            return rig.sink.takeHeld().map { $0.batch.deviceBatches[0].tuples(of: .gps) }
        }
        #expect(rows[0] == rows[1] && rows[0].first?.isEmpty == false)
    }

    @Test func `a body may come in any pieces`() throws {
        let bytes = Array(Self.post(Self.line).utf8)
        for cut in 1..<bytes.count {
            let rig = try Self.rig()
            try rig.send(bytes[..<cut])
            try rig.send(bytes[cut...])
            rig.commitHeld()
            #expect(try rig.answer().body == #"1 0 ["d1"]"#)
        }
    }

    @Test func `a bad reading goes to quarantine, the others are stored`() throws {
        let rig = try Self.rig()
        try rig.send(Self.post("\(Self.line)\n2026-02-10T14:57:07Z 91 0\nyesterday 1 nan"))
        rig.commitHeld()
        #expect(try rig.answer().body == #"3 2 ["d1"]"#)
        #expect(rig.book.stored == 1 && rig.book.quarantined == 2)
    }

    @Test func `what is on disk has the status that the clients expect`() throws {
        let rig = try Self.rig()
        try rig.send(Self.post(Self.line))
        rig.sink.finishHeld(.spooled)
        rig.run()
        let answer = try rig.answer()
        #expect(answer.status == 200 && answer.body == #"1 0 spooled["d1"]"#)
        #expect(answer.headers["x-durability"] == "spooled")
    }

    @Test func `a body with nothing to store is answered at once`() throws {
        let rig = try Self.rig()
        try rig.send(Self.post(""))
        #expect(try rig.answer().body == #"0 0 ["d1"]"#)
        #expect(rig.sink.readings == 0)
        try rig.send(Self.post(Self.line))
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        #expect(rig.budget.inFlightBytes == 0)
    }

    @Test func `a GET has its readings in the query, a HEAD stores nothing`() throws {
        let rig = try Self.rig()
        let path = "/in/d1?line=2026-02-10T14:57:07Z%201%202"
        try rig.send(Samples.head(length: nil, method: "GET", path: path))
        rig.commitHeld()
        #expect(try rig.answer().body == #"1 0 ["d1"]"#)
        try rig.send(Samples.head(length: nil, method: "HEAD", path: path))
        #expect(try rig.output().hasPrefix("HTTP/1.1 405 "))
        #expect(rig.sink.readings == 1)
    }

    @Test(arguments: [
        ("X-API-Key: the-good-key", 200), ("Authorization: Bearer the-good-key", 200),
        ("Authorization: Basic YW5uOnRoZS1nb29kLWtleQ==", 200),
        ("Authorization: Basic YW5uOm5vbmU=", 401), ("Authorization: Basic ?", 401),
        ("X-A: b", 401),
    ])
    func `a key may come in every way that the format allows`(field: String, status: Int) throws {
        let rig = try Self.rig()
        try rig.send(Self.post(Self.line, [field], key: nil))
        rig.commitHeld()
        let answer = try rig.answer()
        #expect(answer.status == status)
        if status == 401 {
            #expect(answer.headers["www-authenticate"] == "Basic realm=\"lines\"")
            #expect(answer.body == "error 401: Unauthorized")
        }
    }

    @Test func `a key may be in the path, and is none of the format's parameters`() throws {
        for (path, fields, status) in [
            ("/in/d1/the-good-key", [], 200), ("/in/d1/the%2Dgood-key/", [], 200),
            ("/in/d1/wrong", [], 401), ("/in/d1/%ff", [], 401), ("/in/d1/%zz", [], 401),
            ("/in/d1/wrong", ["X-API-Key: the-good-key"], 200),
            ("/in/d1/the-good-key", ["X-API-Key: wrong"], 401),
            // A user without a password.
            ("/in/d1/the-good-key", ["Authorization: Basic YW5uOg=="], 200),
        ] {
            let rig = try Self.rig()
            try rig.send(Self.post(Self.line, fields, key: nil, path: path))
            rig.commitHeld()
            let answer = try rig.answer()
            #expect(answer.status == status, "\(path)")
            if status == 200 { #expect(answer.body == #"1 0 ["d1"]"#) }
        }
    }

    @Test func `a user of Basic authentication owns the readings`() throws {
        let rig = try Self.rig()
        let field = "Authorization: Basic YW5uOnRoZS1nb29kLWtleQ=="
        try rig.send(Self.post(Self.line, [field], key: nil))
        #expect(rig.sink.takeHeld().first?.batch.deviceBatches[0].userID == "ann")
    }

    @Test(arguments: [
        ("what?", "error 400: not lines"),
        (String(repeating: "x", count: 1001), "error 413: "),
    ])
    func `a failure is told in the form of the route's system`(body: String, answer: String) throws
    {
        let rig = try Self.rig()
        try rig.send(Self.post(body))
        #expect(try rig.answer().body.hasPrefix(answer))
        #expect(rig.sink.readings == 0)
        #expect(rig.budget.inFlightBytes == 0)
    }

    @Test func `a fault of the translated envelope is told in words of no place`() throws {
        let rig = try Self.rig()
        let long = String(repeating: "d", count: 129)
        try rig.send(Self.post(Self.line, path: "/in/\(long)"))
        #expect(
            try rig.answer().body
                == "error 422: metadata: device_id: Should have at most 128 characters")
    }

    @Test func `full lanes are told before the body is translated`() throws {
        let rig = try Self.rig()
        rig.sink.set(refusal: .full(retryAfter: .seconds(2)))
        try rig.send(Self.post(Self.line))
        let answer = try rig.answer()
        #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        #expect(answer.body.hasPrefix("error 503: "))
    }

    @Test func `a compressed body counts with the bytes that it has decompressed`() throws {
        let rig = try Self.rig()
        for (text, status) in [(Self.line, 200), (String(repeating: "x", count: 5000), 413)] {
            let body = Samples.compress(Array(text.utf8), .gzip)
            try rig.send(
                Array(
                    Samples.head(
                        length: body.count, path: "/in/d1", fields: ["Content-Encoding: gzip"]
                    ).utf8) + body)
            rig.commitHeld()
            #expect(try rig.answer().status == status)
        }
    }

    @Test func `a text of readings is valid whatever is written into it`() throws {
        var text = ReadingsText(device: "a\"b\n", user: "ü", version: "\\", modelName: "\u{0}")
        text.begin(.event)
        text.add("t", 1_770_735_427.5)
        text.add("label", "x\"y")
        text.add("metadata") { $0 += #"{"a":[1]}"#.utf8 }
        text.begin(.vital)
        text.add("val", Double?.none)
        let json = try JSONSerialization.jsonObject(with: Data(text.finished()))
        let data = try #require((json as? [String: Any])?["data"] as? [[String: Any]])
        #expect(data.count == 2 && data[0]["label"] as? String == "x\"y")
        #expect(data[0]["t"] as? Double == 1_770_735_427.5)
    }
}
