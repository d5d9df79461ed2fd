import Readings
import Scanner
import ScannerSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A large body` {
    @Test func `of tens of thousands of readings is scanned whole`() throws {
        let readings = (0..<30_000).map { number -> String in
            switch number % 3 {
            case 0:
                #"{"type":"vital","t":"2026-02-10T10:00:00.\#(100_000 + number)Z","code":1,"val":\#(number)}"#
            case 1:
                #"{"t":"2026-02-10T10:00:00Z","type":"gps","lat":1.\#(number),"lon":-1.\#(number)}"#
            default: #"{"label":"l\#(number)","type":"event","t":"2026-02-10T10:00:00Z"}"#
            }
        }
        let body = batch(readings)
        let batch = try #require(
            agreed(on: body, [.whole, .pieces(of: 1460), .random(seed: 3)]).batch)
        #expect(batch.received == 30_000)
        #expect(batch.devices[0][.vital].count == 10_000)
        #expect(batch.devices[0][.vital].strictlyRising)
        #expect(!batch.devices[0][.gps].strictlyRising)
    }

    @Test(arguments: [
        (127 * 1024, true), (128 * 1024, true), (128 * 1024 + 1, false), (129 * 1024, false),
        (1024 * 1024, false),
    ])
    func `may have a reading of 128 KiB`(bytes: Int, isValid: Bool) throws {
        let head = #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1,"x":""#
        let long = head + String(repeating: "x", count: bytes - head.utf8.count - 2) + "\"}"
        let small = #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":2}"#
        let chunkings =
            usualChunkings + [.split(at: 100_000), .pieces(of: 65_536), .pieces(of: 131_072)]
        let batch = try #require(agreed(on: batch([small, long, small]), chunkings).batch)
        #expect(batch.rowCount(of: .vital) == (isValid ? 3 : 2))
        if !isValid {
            let kept = Array(long.utf8.prefix(128 * 1024))
            let expected = QuarantinedReading(index: 1, reason: .readingTooLarge, body: kept)
            #expect(batch.devices[0].quarantined == [expected])
        }
    }

    /// Only the size of such a reading is unusual.
    @Test(arguments: [(128 * 1024, true), (128 * 1024 + 1, false)])
    func `may have a time of 128 KiB, less the rest of its reading`(bytes: Int, isValid: Bool)
        throws
    {
        let head = #"{"type":"vital","code":1,"val":1,"t":"2026-02-10T10:00:00."#
        let digits = String(repeating: "7", count: bytes - head.utf8.count - 3)
        let chunkings = usualChunkings + [.split(at: 100_000), .pieces(of: 65_536)]
        let batch = try #require(agreed(on: batch([head + digits + "Z\"}"]), chunkings).batch)
        #expect(batch.rowCount(of: .vital) == (isValid ? 1 : 0))
    }

    @Test func `is JSON also in the parts of a reading that are not kept`() {
        let long = #"{"x":""# + String(repeating: "x", count: 200_000)
        for (tail, error) in [
            ("\u{1}\"}", ScanError.unexpectedByte(1, offset: 44 + 200_000)), ("\\q\"}", nil),
            ("\",}", nil),
            ("\"", nil), ("", nil),
        ] as [(String, ScanError?)] {
            let verdict = agreed(on: batch([long + tail]))
            #expect(verdict.error != nil)
            if let error { #expect(verdict.error == error) }
        }
    }

    /// Unusual readings across the borders of the pieces in which the scanner works.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `of generated readings means the same to scanner and reference`(_ seed: UInt64) {
        var generator = BatchGenerator(seed: seed)
        var mutator = BodyMutator(seed: seed)
        let body = generator.body(readings: 1500, faultyOnceIn: 12)
        let chunkings: [Chunking] = [
            .whole, .pieces(of: 65_536), .pieces(of: 65_535), .pieces(of: 40_000),
            .random(seed: seed),
        ]
        agreed(on: body, chunkings)
        for _ in 0..<6 { agreed(on: mutator.mutated(body, with: body), chunkings) }
    }

    @Test(
        arguments: [
            (62, nil), (63, nil), (64, .nestedTooDeep), (65, .nestedTooDeep),
            (1000, .nestedTooDeep),
            (1023, .nestedTooDeep),
        ] as [(Int, QuarantineReason?)])
    func `may nest a reading 64 deep, itself counted`(levels: Int, reason: QuarantineReason?) {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for key in ["x", "metadata", "lat"] {
                let nested =
                    String(repeating: open, count: levels) + "0"
                    + String(repeating: close, count: levels)
                let reading =
                    #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1,"\#(key)":\#(nested)}"#
                let batch = agreed(on: batch([reading])).batch
                #expect(batch?.received == 1)
                #expect(batch?.problems.first?.reason == reason)
            }
        }
    }

    @Test func `is refused when anything is 1025 deep`() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        let metadata = #""metadata":{"device_id":"d"}"#
        for (head, levels, tail) in [
            (#"{"data":[],\#(metadata),"x":"#, 1024, "}"),
            (#"{"data":[],"metadata":{"device_id":"d","x":"#, 1023, "}}"),
            (#"{\#(metadata),"data":[{"x":"#, 1023, "}]}"),
        ] {
            let sound = agreed(on: Array((head + nested(levels) + tail).utf8))
            #expect(sound.error == nil)
            let tooDeep = agreed(on: Array((head + nested(levels + 1) + tail).utf8))
            #expect(tooDeep.error == .nestedTooDeep(offset: head.utf8.count + levels))
            let far = agreed(
                on: Array((head + nested(100_000) + tail).utf8), [.whole, .pieces(of: 1460)])
            #expect(far.error == .nestedTooDeep(offset: head.utf8.count + levels))
        }
    }

    @Test(arguments: [(65_536, true), (65_537, false), (200_000, false)])
    func `has at most 64 KiB of metadata`(bytes: Int, isValid: Bool) {
        let head = #"{"device_id":"d","x":""#
        let metadata = head + String(repeating: "x", count: bytes - head.utf8.count - 2) + "\"}"
        let chunkings =
            usualChunkings + [.split(at: 65_536), .split(at: 65_547), .split(at: 65_548)]
        let verdict = agreed(on: Array(#"{"metadata":\#(metadata),"data":[]}"#.utf8), chunkings)
        #expect(verdict.error == (isValid ? nil : .envelope(.metadataTooLarge(bytesMax: 65_536))))
    }

    @Test func `is JSON also in metadata that is too large`() {
        let head = #"{"metadata":{"device_id":"d","x":""#
        for length in [65_540, 65_547, 65_548, 65_549, 65_560, 131_072, 300_000] {
            let long = Array((head + String(repeating: "x", count: length - head.utf8.count)).utf8)
            #expect(agreed(on: long).error == .truncated(offset: length))
            let wrong = agreed(on: long + [0x1F])
            #expect(wrong.error == .unexpectedByte(0x1F, offset: length))
            let whole = agreed(on: long + Array("\"}".utf8))
            // The object begins at byte 12.
            #expect(
                whole.error
                    == (length + 2 - 12 <= 65_536
                        ? .truncated(offset: length + 2)
                        : .envelope(.metadataTooLarge(bytesMax: 65_536))))
        }
    }

    @Test func `may have unknown parts of any size`() throws {
        let long = String(repeating: "long ", count: 100_000)
        let digits = String(repeating: "7", count: 200_000)
        let space = String(repeating: " \n", count: 100_000)
        let body =
            #"{"a":"\#(long)",\#(space)"\#(long)":[\#(digits),\#(digits).\#(digits)e\#(digits)]\#(space)"#
            + #","metadata":{"device_id":"d"},"data":\#(space)[\#(space)]}\#(space)"#
        #expect(agreed(on: Array(body.utf8)).batch?.received == 0)
    }

    @Test func `may have space of any length between readings`() {
        let vital = #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1}"#
        let space = String(repeating: " ", count: 150_000)
        #expect(
            agreed(on: batch(["\(space)\(vital)\(space)", "\(space)\(vital)\(space)"])).batch?
                .received == 2)
    }

    @Test(arguments: [(10_000, false), (10_001, true), (10_500, true)])
    func `is refused with more than ten thousand faulty readings`(count: Int, isRefused: Bool) {
        let verdict = agreed(
            on: batch([String](repeating: "{}", count: count)),
            [.whole, .pieces(of: 1460), .pieces(of: 7)])
        if isRefused {
            #expect(verdict == .refused(.envelope(.tooManyInvalid(max: 10_000)), received: 10_001))
        } else {
            #expect(verdict.batch?.quarantined == count)
            #expect(verdict.batch?.problems.count == 100)
            #expect(verdict.batch?.devices[0].quarantined.count == count)
        }
    }
}
