import Readings
import Scanner
import ScannerSupport
import Testing

/// A vital reading with further members.
private func reading(_ members: String = "") -> String {
    #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1\#(members)}"#
}

private func names(_ id: String, user: String? = nil) -> String {
    #","device_id":"\#(id)""# + (user.map { #","user_id":"\#($0)""# } ?? "")
}

private func texts(_ batch: DecodedBatch) -> [[String]] {
    batch.devices.map {
        [String(decoding: $0.id, as: UTF8.self), String(decoding: $0.userID, as: UTF8.self)]
    }
}

@Suite struct `A body without envelope` {
    private static let readings = [
        reading(names("W")), reading(names("w", user: "ann")), reading(names("w")),
        reading(names("phone", user: "ann")), reading(),
        #"{"type":"fax","t":"2026-02-10T10:00:00Z","device_id":"phone","user_id":"ann"}"#,
        reading(#","device_id":"x","user_id":7"#),
    ]

    /// In an array and in lines alike.
    @Test(arguments: [BodyShape.document, .lines])
    func `has readings of devices and users that each names`(_ shape: BodyShape) throws {
        let text =
            shape == .lines
            ? Self.readings.joined(separator: "\n") : "[\(Self.readings.joined(separator: ","))]"
        let body = Array(text.utf8)
        let splits = (0...body.count).map { Chunking.split(at: $0) }
        let batch = try #require(agreed(on: body, usualChunkings + splits, shape).batch)
        #expect(batch.received == 7)
        #expect(texts(batch) == [["w", "w"], ["w", "ann"], ["phone", "ann"], ["", ""]])
        #expect(batch.devices.map { $0[.vital].count } == [2, 1, 1, 0])
        #expect(batch.devices[1].key == DeviceKey(of: "w", user: "ann"))
        #expect(batch.problems.map(\.index) == [4, 5, 6])
        #expect(
            batch.problems.map(\.reason) == [.deviceIDMissing, .typeUnknown, .userIDInvalid])
        #expect(batch.devices.map(\.quarantined.count) == [0, 0, 1, 2])
    }

    /// The fast path and the complete one judge alike what only the wide fast path reads.
    @Test(arguments: [
        names("W"), names(""), names("ü"), names("a\\u0062"), names("w", user: ""),
        names("w", user: "ü"), names("w") + names("w"), #","device_id":7"#,
        names(String(repeating: "w", count: 128)), names(String(repeating: "w", count: 129)),
        names("w", user: String(repeating: "u", count: 129)), names("w") + #","metric":"a""#,
        names("w") + #","metadata":{}"#, names("w") + #" , "x" : 1"#, names("w") + "} ",
        names("w") + "}x", names("w") + "} {}", names("w") + ",", #","user_id":"u""#,
    ]) func `has names of any form`(members: String) throws {
        for shape in [BodyShape.document, .lines] {
            let readings = [reading(names("w")), reading(members), reading(names("w", user: "u"))]
            let text = readings.joined(separator: shape == .lines ? "\n" : ",")
            let body = Array((shape == .lines ? text : "[\(text)]").utf8)
            let splits = (0...body.count).map { Chunking.split(at: $0) }
            _ = agreed(on: body, usualChunkings + splits, shape)
        }
    }

    @Test(arguments: [
        #""metric":"a.b-c_1""#, #""metric":"A""#, #""metric":"""#, #""metric":7"#,
        #""metric":"a","metric":"a""#, #""metric":"a","code":1"#, #""metric":"a\u0062""#,
        #""t":1770717600,"metric":"a""#,
    ]) func `has metrics of any form, also beside an envelope`(members: String) throws {
        let times = [
            #""t":"2026-02-10T10:00:00Z""#, #""t":1770717600"#, #""t":1770717600000.25"#,
            #""t":177071760"#, #""t":1e300"#, #""t":-1"#, #""t":01"#, #""t":NaN"#, #""t":"""#,
        ]
        for time in times {
            for kind in ["vital", "gps"] {
                let texts =
                    ["a", "b", "a"].map {
                        #"{"type":"\#(kind)",\#(time),"val":1,"lat":1,"lon":2,\#(members),"x_\#($0)":1}"#
                    } + [#"{"type":"\#(kind)",\#(time),"val":1,\#(members)}"#]
                let body =
                    #"{"metadata":{"device_id":"w"},"data":[\#(texts.joined(separator: ","))]}"#
                _ = agreed(on: Array(body.utf8), usualChunkings)
                let lines = texts.map { $0.dropLast() + names("w") + "}" }
                _ = agreed(on: Array(lines.joined(separator: "\n").utf8), usualChunkings, .lines)
            }
        }
    }

    @Test(arguments: [
        (" [ ] ", BodyShape.document), ("", .lines), ("\n \r\n\t", .lines), ("\u{FEFF}", .lines),
    ])
    func `may be empty`(text: String, shape: BodyShape) throws {
        let batch = try #require(agreed(on: Array(text.utf8), usualChunkings, shape).batch)
        #expect(batch.received == 0)
        #expect(batch.devices.count == 1)
    }

    @Test func `has bad lines that cost no other`() throws {
        let good = reading(names("d"))
        let bad = [
            "not json", "{", good + good, "[\(good)]", "5", #"{"a":"\u{1}"}"#, #"{"a":"open"#,
            "{}x",
        ]
        let lines = bad.flatMap { [good, "", " \($0) \r"] } + [good]
        let body = Array(lines.joined(separator: "\n").utf8)
        let splits = (0...body.count).map { Chunking.split(at: $0) }
        let batch = try #require(agreed(on: body, usualChunkings + splits, .lines).batch)
        #expect(batch.received == 2 * bad.count + 1)
        #expect(batch.devices[0][.vital].count == bad.count + 1)
        #expect(batch.problems.allSatisfy { $0.reason == .lineInvalid })
        #expect(batch.problems.map(\.index) == bad.indices.map { 2 * $0 + 1 })
        #expect(batch.devices[1].quarantined.map(\.body) == bad.map { Array($0.utf8) })
    }

    /// A byte that is not UTF-8, a NUL, and nesting beyond what a parser follows.
    @Test func `has lines of any bytes`() throws {
        let good = Array(reading(names("d")).utf8)
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1100)
        let bad: [[UInt8]] = [
            [0x7B, 0x22, 0xFF, 0x22, 0x7D], [0x7B, 0, 0x7D], Array("{\"a\":".utf8) + deep,
            [0xC3], [0xF0, 0x9F],
        ]
        let lines: [[UInt8]] = bad.flatMap { [good, $0] } + [good]
        let body = Array(lines.joined(separator: [0x0A]))
        let batch = try #require(agreed(on: body, usualChunkings, .lines).batch)
        #expect(batch.devices[0][.vital].count == bad.count + 1)
        #expect(
            batch.problems.map(\.reason)
                == [.lineInvalid, .lineInvalid, .nestedTooDeep, .lineInvalid, .lineInvalid])
        #expect(batch.devices[1].quarantined.map(\.body) == bad)
    }

    @Test(arguments: [0, 1, 2, 100_000])
    func `has a line that is too long, and the next one`(beyond: Int) throws {
        var limits = ReadingLimits()
        limits.readingBytesMax = 1000
        let good = reading(names("d"))
        let filled = reading(names("d") + #","x":"""#).count
        let long = reading(
            names("d") + #","x":"\#(String(repeating: "y", count: 1000 + beyond - filled))""#)
        #expect(long.count == 1000 + beyond)
        for last in ["", "\n", "\n\(good)"] {
            let body = Array("\(good)\n\(long)\(last)".utf8)
            let batch = try #require(
                agreed(on: body, usualChunkings + [.pieces(of: 999)], .lines, limits: limits).batch)
            #expect(batch.quarantined == (beyond == 0 ? 0 : 1))
            #expect(batch.problems.map(\.reason) == (beyond == 0 ? [] : [.readingTooLarge]))
            let quarantined = batch.devices.last?.quarantined.map(\.body.count)
            #expect(quarantined == (beyond == 0 ? [] : [1000]))
        }
    }

    @Test(arguments: [
        [0x1F, 0x8B, 8], [0x28, 0xB5, 0x2F], [0x04, 0x22, 0x4D], [0x78, 0x9C, 1],
        [0xFF, 0xFE, 0x7B],
        [0xFE, 0xFF, 0], [0, 0x7B, 0], [0x7B, 0, 0x22], [0x7B, 0], [0],
    ])
    func `is refused where it is compressed or in UTF-16`(start: [UInt8]) {
        let offset = start.count > 1 && start[1] == 0 && start[0] != 0 ? 1 : 0
        for body in [start, start + [UInt8](repeating: 7, count: 40)] {
            let verdict = agreed(on: body, usualChunkings, .lines)
            #expect(verdict.error == .unexpectedByte(start[offset], offset: offset))
        }
    }

    @Test func `is refused with too many bad lines`() {
        var limits = ReadingLimits()
        limits.quarantinedMax = 3
        let body = Array(String(repeating: "x\n", count: 5).utf8)
        #expect(
            agreed(on: body, usualChunkings, .lines, limits: limits).error
                == .envelope(.tooManyInvalid(max: 3)))
    }

    /// Lines that never close cost no more than their own bytes.
    @Test(.timeLimit(.minutes(1)))
    func `takes time in proportion to its bytes`() throws {
        let line = #"{"a":["# + "\n"
        let body = Array(String(repeating: line, count: 9000).utf8)
        for chunks in [[body.count], [Int](repeating: 7, count: body.count / 7)] {
            let batch = Verdict(
                ofFreshScannerOn: body, chunks: chunks, shape: .lines, now: BatchGenerator.now
            ).batch
            #expect(batch?.quarantined == 9000)
        }
    }

    @Test func `may name thousands of devices`() throws {
        let lines = (0..<5000).map { reading(names("w\($0 % 2500)", user: "u\($0 % 7)")) }
        let body = Array(lines.joined(separator: "\n").utf8)
        let batch = try #require(agreed(on: body, [.whole, .pieces(of: 1460)], .lines).batch)
        #expect(batch.rowCount(of: .vital) == 5000)
        #expect(Set(batch.devices.map(\.key)).count == batch.devices.count)
    }
}
