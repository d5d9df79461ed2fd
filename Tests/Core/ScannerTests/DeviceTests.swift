import Readings
import Scanner
import ScannerSupport
import Testing

@Suite struct `A device` {
    /// The first sixteen bytes of SHA-256, which `sha256sum` can check. The fold is computed from
    /// `hashint8`'s definition by hand.
    @Test(
        arguments: [
            ("abc", 0xba78_16bf_8f01_cfea, 0x4141_40de_5dae_2223),
            ("d", 0x18ac_3e73_43f0_1689, 0x0c51_0e93_f935_2611),
            ("à", 0xb3fc_9de5_26e2_53e7, 0xac1b_8d94_ed23_74c6),
            ("11111111-1111-1111-1111-111111111111", 0xbafd_e89c_041e_1756, 0x082b_933a_af16_cad8),
        ] as [(String, UInt64, UInt64)])
    func `has the first half of its id's SHA-256 as the id's key`(
        id: String, value: UInt64, check: UInt64
    ) throws {
        let idKey = DeviceIDKey(of: id)
        #expect(idKey.value == Int64(bitPattern: value))
        #expect(idKey.check == Int64(bitPattern: check))
        let (high, low) = (UInt32(value >> 32), UInt32(truncatingIfNeeded: value))
        let fold = low ^ (high < 0x8000_0000 ? high : ~high)
        for user in [id, "ann", "bob", "ü"] {
            #expect(DeviceKey(of: id, user: user).fold == fold)
        }
        let body = Array("{\"metadata\":{\"device_id\":\"\(id)\"},\"data\":[]}".utf8)
        let devices = try #require(agreed(on: body).batch?.devices)
        #expect(devices.map(\.key) == [DeviceKey(of: id, user: id)])
    }

    /// `printf 'w\0ann' | sha256sum` begins with these 16 bytes, and `printf w | sha256sum` with
    /// `50e721e49c013f00`.
    @Test func `has a key for each user, of the hash of both`() {
        let key = DeviceKey(of: "w", user: "ann")
        #expect(key == DeviceKey(value: -5334681294440855877, check: 6361834331691760108))
        #expect(DeviceKey(of: "w", user: "bob") != key)
        #expect(DeviceKey(of: "wa", user: "nn") != key)
    }

    /// Also of readings that another device sends, wherever the envelope stands in the body.
    @Test(arguments: [true, false])
    func `belongs to the batch's user`(isDataFirst: Bool) throws {
        let readings = [nil, "watch", "D", nil, "watch"].map { id in
            let own = id.map { #","device_id":"\#($0)""# } ?? ""
            return #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1\#(own)}"#
        }
        for user in ["ann", nil] {
            let field = user.map { #","user_id":"\#($0)""# } ?? ""
            let metadata = #""metadata":{"device_id":"D"\#(field)}"#
            let data = "\"data\":[\(readings.joined(separator: ","))]"
            let parts = isDataFirst ? [data, metadata] : [metadata, data]
            let body = Array("{\(parts.joined(separator: ","))}".utf8)
            let devices = try #require(agreed(on: body).batch?.devices)
            let owner = user ?? "d"
            #expect(devices.map(\.userID) == [Array(owner.utf8), Array(owner.utf8)])
            #expect(
                devices.map(\.key) == ["d", "watch"].map { DeviceKey(of: $0, user: owner) })
            #expect(devices.map { $0[.vital].count } == [3, 2])
        }
    }

    @Test(arguments: [
        ("ABC", "abc"), ("aBc-09_Z", "abc-09_z"), (#"\u0041"#, "a"), ("À", "à"), ("ΑΣ", "ασ"),
        ("İ", "i\u{307}"), ("ẞ", "ß"), ("Ａ", "ａ"), ("Ǆ", "ǆ"), (#"\u00C9"#, "é"),
        ("E\u{301}", "e\u{301}"),
        ("\u{1D400}", "\u{1D400}"), ("\u{10400}", "\u{10428}"), (" A ", " a "), (#"A\/\n"#, "a/\n"),
    ])
    func `is lower-cased wherever it is named`(sent: String, id: String) throws {
        let reading =
            #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1,"device_id":"\#(sent)"}"#
        let overriding = try #require(agreed(on: batch([reading])).batch)
        #expect(overriding.devices.last?.id == Array(id.utf8))
        #expect(overriding.devices.last?.key == DeviceKey(of: id, user: "d"))
        let envelope = #"{"data":[\#(reading)],"metadata":{"device_id":"\#(sent)"}}"#
        let own = try #require(agreed(on: Array(envelope.utf8)).batch)
        #expect(own.devices.map(\.id) == [Array(id.utf8)])
        #expect(own.devices[0][.vital].count == 1)
    }

    /// Whatever else its envelope says, such as Python's words for what is no number.
    @Test func `has an envelope with any further members`() throws {
        let body =
            #"{"x":NaN,"metadata":{"battery":NaN,"device_id":"d","a":[-Infinity]},"data":[]}"#
        let splits = (0...body.utf8.count).map { Chunking.split(at: $0) }
        let batch = agreed(on: Array(body.utf8), usualChunkings + splits).batch
        #expect(batch?.devices.map(\.id) == [Array("d".utf8)])
    }

    @Test func `is not mixed up with one that looks the same`() throws {
        let ids = ["\u{e9}", "e\u{301}", "\u{2126}", "\u{3c9}", "\u{c5}", "A\u{30a}", "\u{212b}"]
        let readings = (ids + ids).map {
            #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1,"device_id":"\#($0)"}"#
        }
        let batch = try #require(agreed(on: batch(readings)).batch)
        // Lower-casing turns the ohm sign into omega and the ångström sign into å; the others stay
        // apart.
        let expected = ["d", "\u{e9}", "e\u{301}", "\u{3c9}", "\u{e5}", "a\u{30a}"]
        #expect(batch.devices.map(\.id) == expected.map { Array($0.utf8) })
        #expect(batch.devices.map { $0[.vital].count } == [0, 2, 2, 4, 4, 2])
    }

    @Test func `that overrides comes after the envelope's, in the order of its valid readings`()
        throws
    {
        func reading(_ id: String, _ value: String) -> String {
            #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":\#(value),"device_id":"\#(id)"}"#
        }
        let readings = [
            reading("z", "null"), reading("b", "1"), reading("a", "1"), reading("z", "1"),
            reading("D", "1"), reading("b", "2"),
        ]
        let batch = try #require(agreed(on: batch(readings)).batch)
        #expect(batch.devices.map(\.id) == ["d", "b", "a", "z"].map { Array($0.utf8) })
        #expect(batch.devices.map { $0[.vital].count } == [1, 2, 1, 1])
        #expect(batch.devices[0].quarantined.map(\.index) == [0])
    }

    @Test func `may be one of thousands in a batch`() throws {
        let readings = (0..<5000).map {
            #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":\#($0),"device_id":"w\#($0 % 2500)"}"#
        }
        let batch = try #require(agreed(on: batch(readings), [.whole, .pieces(of: 1460)]).batch)
        #expect(batch.devices.count == 2501)
        #expect(batch.rowCount(of: .vital) == 5000)
    }

    @Test(arguments: [(1, true), (128, true), (129, false)])
    func `has an id of at most 128 characters, however many bytes they take`(
        count: Int, isValid: Bool
    ) {
        for character in ["a", "é", "日", "😀", #"\u0061"#, #"\ud83d\ude00"#] {
            let id = String(repeating: character, count: count)
            let verdict = agreed(on: Array(#"{"metadata":{"device_id":"\#(id)"},"data":[]}"#.utf8))
            #expect(
                verdict.error
                    == (isValid ? nil : .envelope(.tooLong(field: "device_id", charactersMax: 128)))
            )
        }
    }
}
