import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// The rules of RFC 9112 for every request. Each rule must hold for batches, whose head may never
/// reach the HTTP decoder, and for requests to the router.
@Suite(.timeLimit(.minutes(10))) struct HTTPRulesTests {
    /// Request targets, and the status of a valid request to each.
    private static let targets = [("/ingest", 200), ("/nowhere", 404)]

    /// A request with a valid batch; `fields` replace the usual `Host` and length.
    private static func post(
        _ path: String, version: String = "1.1", _ fields: [String], body: String = Samples.body
    ) -> String {
        let lines = ["POST \(path) HTTP/\(version)", "X-API-Key: \(FakeKeys.good)"] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static let length = "Content-Length: \(Samples.body.utf8.count)"
    private static let chunks =
        "\(String(Samples.body.utf8.count, radix: 16))\r\n\(Samples.body)\r\n0\r\n\r\n"
    private static let chunked = "Transfer-Encoding: chunked"

    /// The fields, the body if it is not the usual one, and the status; nil: the usual one.
    private static let cases: [(version: String, fields: [String], body: String?, status: Int?)] = [
        ("1.1", ["Host: a", length], nil, nil),
        ("1.1", [length], nil, 400),
        ("1.0", [length], nil, nil),
        ("1.1", ["Host: a", "Host: b", length], nil, 400),
        ("1.1", ["Host: a", "host: a", length], nil, 400),
        ("1.0", ["Host: a", "Host: b", length], nil, 400),
        ("1.1", ["Host: a, b", length], nil, 400),
        ("1.1", ["Host: a b", length], nil, 400),
        ("1.1", ["Host: http://a/", length], nil, 400),
        ("1.1", ["Host:", length], nil, nil),
        ("1.1", ["Host: [::1]:8080  ", length], nil, nil),
        ("1.1", ["Host: a", length + " "], nil, nil),
        ("1.1", ["Host: a", "X-A: b \t ", length], nil, nil),
        ("1.1", ["Host: a", length, length], nil, 400),
        ("1.1", ["Host: a", "Content-Length: +43"], nil, 400),
        ("1.1", ["Host: a", "Content-Length: 4, 4"], nil, 400),
        ("1.1", ["Host: a", "Content-Length: 0x10"], nil, 400),
        ("1.1", ["Host: a", chunked], chunks, nil),
        ("1.1", ["Host: a", chunked + " "], chunks, nil),
        ("1.1", ["Host: a", chunked, length], chunks, 400),
        ("1.1", ["Host: a", "Transfer-Encoding: gzip, chunked"], chunks, 501),
        ("1.1", ["Host: a", "Transfer-Encoding: gzip", chunked], chunks, 501),
        ("1.1", ["Host: a", "Transfer-Encoding: x-unknown, Chunked"], chunks, 501),
        ("1.1", ["Host: a", "Transfer-Encoding: gzip"], chunks, 400),
        ("1.1", ["Host: a", "Transfer-Encoding: chunked, gzip"], chunks, 400),
        ("1.1", ["Host: a", "Transfer-Encoding: chunked, chunked"], chunks, 400),
        ("1.0", ["Host: a", chunked], chunks, 400),
        ("1.1", ["Host : a", length], nil, 400),
        ("1.1", ["Host: a", " folded", length], nil, 400),
    ]

    /// Sends the request in one or two pieces, then closes the sending side.
    ///
    /// The router may refuse a request before its body has arrived, and then may not keep the
    /// connection. Therefore only heads are cut: the rest arrives before the router reads the head.
    private static func statuses(
        _ server: RunningServer, _ text: String, cutAt cut: Int? = nil
    ) async throws -> [Int] {
        try await onThread {
            let client = try server.client()
            let bytes = Array(text.utf8)
            let cut = min(cut ?? bytes.count, bytes.count)
            // After the first piece the request may have been refused already.
            try client.send(Array(bytes[..<cut]))
            try? client.send(Array(bytes[cut...]))
            client.closeSending()
            return try client.receiveAll().map(\.status)
        }
    }

    @Test func `a rule holds for batches and for the router's requests`() async throws {
        try await RunningServer.with { server in
            for (version, fields, body, status) in Self.cases {
                for (path, good) in Self.targets {
                    let text = Self.post(
                        path, version: version, fields, body: body ?? Samples.body)
                    for cut in [nil, 7, 40] {
                        let statuses = try await Self.statuses(server, text, cutAt: cut)
                        #expect(statuses == [status ?? good], "\(path) \(version) \(fields)")
                    }
                }
            }
        }
    }

    @Test func `white space after a key is not part of it`() async throws {
        try await RunningServer.with { server in
            for space in [" ", "\t", "  \t "] {
                let text = Samples.post(key: FakeKeys.good + space)
                let statuses = try await Self.statuses(server, text)
                #expect(statuses == [200])
            }
        }
    }

    @Test(arguments: [true, false]) func `the framing of a body's chunks has a limit`(
        _ isExtension: Bool
    ) async throws {
        try await RunningServer.with { server in
            for (path, _) in Self.targets {
                let client = try server.client()
                try client.send(Self.post(path, ["Host: a", Self.chunked], body: ""))
                let answer = try await onThread {
                    // An extension that never ends, or a size that consists of zeros.
                    try? client.send("1\r\n{\r\n" + (isExtension ? "1;" : ""))
                    let piece = String(repeating: isExtension ? "x" : "0", count: 1000)
                    for _ in 0..<1000 {
                        guard (try? client.send(piece)) != nil else { break }
                    }
                    return try client.receiveAnswer()
                }
                #expect(answer.status == 400 || path == "/nowhere" && answer.status == 404)
            }
            try await server.expectNothingHeld()
        }
    }

    @Test func `chunks of one byte are within the limit`() async throws {
        try await RunningServer.with { server in
            let text = Samples.chunkedPost(Samples.body(readings: 1000), every: 1)
            let statuses = try await Self.statuses(server, text)
            #expect(statuses == [200])
        }
    }

    // MARK: Generated

    /// Random fields, version and body, valid or not.
    private static func fields(_ dice: inout Dice) -> (version: String, [String], body: String) {
        func one(_ choices: [String]) -> String { choices.randomElement(using: &dice)! }
        let hosts = [
            [], ["Host: a"], ["Host: a"], ["Host: a"], ["host:a"], ["HOST:\t a \t"],
            ["Host: a", "Host: a"], ["Host: a b"], ["Host: \u{7F}"], ["Host: a:80"], ["Host:"],
        ]
        let host = hosts.randomElement(using: &dice)!
        let size = Samples.body.utf8.count
        let isChunked = Bool.random(using: &dice)
        var body = Samples.body
        var framing = [
            one([
                "Content-Length: \(size)", "content-length:\(size)", "Content-Length: \(size) ",
                "Content-Length: 0\(size)", "Content-Length:  \(size)\t", "Content-Length: -1",
                "Content-Length: \(size)\u{0}", "Content-Length : \(size)",
                "Content-Length: \(size),",
            ])
        ]
        if isChunked {
            let count = String(size, radix: 16)
            framing = [
                one([
                    chunked, chunked, "transfer-encoding:CHUNKED", "Transfer-Encoding: chunked \t",
                    "Transfer-Encoding: identity, chunked", "Transfer-Encoding: chunked,",
                    "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1",
                    "Transfer-Encoding : chunked",
                ])
            ]
            let head = one([
                count, count.uppercased(), "000" + count, count + ";a", count + ";a=\"b\"",
                count + " ", " " + count, "0x" + count, "+" + count, count + "\n", "", "-1", "1g",
            ])
            let end = one(["0", "0", "000", "0;x"])
            let trailer = one(["", "", "X-Trailer: a\r\n", "Host: b\r\n", "bad\r\n"])
            let line = one(["\r\n", "\r\n", "\r\n", "\n"])
            body = "\(head)\r\n\(Samples.body)\(line)\(end)\r\n\(trailer)\r\n"
        }
        let other = one([
            "X-A: b", "X-A:", "X-A: b\tc", "X-Ä: b", "X-A: ä", "X A: b", ": b", "X-A", "X-A: b\r",
            "X-A: b\nX-B: c", "Connection: keep-alive", "Connection: close", "X-A: b ",
            "X_A: b", "Connection: x", "Keep-Alive: 5",
        ])
        let version = one(["1.1", "1.1", "1.1", "1.1", "1.0", "1.2", "2.0", "0.9", "1.1 ", "11"])
        return (version, (host + framing + [other]).shuffled(using: &dice), body)
    }

    @Test func `both paths accept, refuse and frame the same bytes in the same way`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var dice = Dice(seed: seed)
        var requests: [(String, [String], String, cuts: [Int])] = []
        for _ in 0..<400 {
            let (version, fields, body) = Self.fields(&dice)
            let cuts = (0..<2).map { _ in Int.random(in: 1...80, using: &dice) }
            requests.append((version, fields, body, cuts))
        }
        try await RunningServer.with { [requests] server in
            for (number, (version, fields, body, cuts)) in requests.enumerated() {
                var seen: [[Int]] = []
                for (path, _) in Self.targets {
                    // The following request shows where the server thinks that the first one ends.
                    let text =
                        Self.post(path, version: version, fields, body: body)
                        + Samples.post(path: path, fields: ["Connection: close"])
                    for cut in cuts {
                        let statuses = try await Self.statuses(server, text, cutAt: cut)
                        // Accepted: 200 from the ingest path, or 404 from the router, which has no
                        // such route.
                        seen.append(statuses.map { $0 == 404 ? 200 : $0 })
                    }
                }
                #expect(
                    Set(seen).count == 1,
                    "seed \(seed), \(number): \(seen) \(version) \(fields) \(body)")
            }
        }
    }
}
