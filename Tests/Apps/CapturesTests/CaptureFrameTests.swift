import Captures
import JSONText
import Readings
import Testing

@Suite struct CaptureFrameTests {
    private func decode(_ text: String) throws -> Capture { try CaptureFrame.decode(text).get() }

    private func fault(_ text: String) -> CaptureFault? {
        guard case .failure(let fault) = CaptureFrame.decode(text) else { return nil }
        return fault
    }

    @Test func `the quick reference's sample is a capture`() throws {
        let capture = try decode(
            """
            {
              "type": "memory_capture",
              "id": "ABC-123",
              "timestamp": "2026-01-23T14:30:00Z",
              "photoURL": "https://storage.googleapis.com/reality-hack-2026-raw-media/memories/ABC-123/photo.jpg",
              "audioURL": "https://storage.googleapis.com/reality-hack-2026-raw-media/memories/ABC-123/audio.m4a",
              "transcription": "Walking through MIT campus"
            }
            """)
        #expect(capture.id == "ABC-123")
        #expect(capture.transcription == "Walking through MIT campus")
        #expect(capture.photoURL?.hasSuffix("ABC-123/photo.jpg") == true)
        #expect(capture.audioURL?.hasSuffix("ABC-123/audio.m4a") == true)
        #expect(
            CaptureReply.acknowledgement(of: capture)
                == #"{"type":"ack","status":"received","captureId":"ABC-123","timestamp":"2026-01-23T14:30:00Z"}"#
        )
    }

    @Test(arguments: [
        ("2026-01-24T10:30:00-05:00", "2026-01-24T15:30:00Z"),
        ("2026-01-24T10:30:00.123456789+0530", "2026-01-24T05:00:00Z"),
        ("2026-01-24T10:30:00", "2026-01-24T10:30:00Z"),
        ("2024-02-29t23:59:59.9z", "2024-02-29T23:59:59Z"),
        ("1999-12-31 23:59:59.5Z", "1999-12-31T23:59:59Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ("2000-03-01T00:00:00Z", "2000-03-01T00:00:00Z"),
        ("1900-02-28T23:00:00-02:00", "1900-03-01T01:00:00Z"),
    ])
    func `a time is sent in UTC without a fraction`(sent: String, told: String) throws {
        let capture = try decode(#"{"type":"memory_capture","id":"a","timestamp":"\#(sent)"}"#)
        #expect(capture.capturedAt.secondsText == told)
        #expect(capture.capturedAt.dayText == told.prefix(10))
    }

    @Test func `a capture without an id gets a UUID, a new one each time`() throws {
        let frames = [
            #"{"type":"memory_capture","timestamp":"2026-01-23T14:30:00Z"}"#,
            #"{"type":"memory_capture","timestamp":"2026-01-23T14:30:00Z","id":null}"#,
            #"{"type":"memory_capture","timestamp":"2026-01-23T14:30:00Z","id":""}"#,
        ]
        let ids = try frames.map { try decode($0).id }
        #expect(Set(ids).count == 3)
        for id in ids {
            #expect(
                id.wholeMatch(
                    of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
                    != nil)
            #expect(Capture.isID(id))
        }
    }

    @Test func `null and the empty string are an absent field`() throws {
        let capture = try decode(
            #"{"photoURL":null,"audioURL":"","transcription":"","type":"memory_capture","timestamp":"2026-01-23T14:30:00Z"}"#
        )
        #expect(capture.photoURL == nil)
        #expect(capture.audioURL == nil)
        #expect(capture.transcription == nil)
    }

    @Test func `escapes in keys and values are resolved, other keys are ignored`() throws {
        let capture = try decode(
            #"{"x":[{"type":1}],"\u0074ype":"memory\u005fcapture","id":"a","timestamp":"2026-01-23T14:30:00Z","transcription":"\"\\\/\b\f\n\r\t \ud83d\ude00 é","y":-1.5e+3,"y":{}}"#
        )
        #expect(capture.transcription == "\"\\/\u{8}\u{C}\n\r\t 😀 é")
    }

    @Test(arguments: [
        ("", JSONFault.truncated, 0), ("  ", .truncated, 2), ("{", .truncated, 1),
        (#"{"type":"memory_capture""#, .truncated, 24), ("{]", .unexpectedByte, 1),
        (#"{"a":1,}"#, .unexpectedByte, 7), (#"{"a":01}"#, .unexpectedByte, 6),
        (#"{"a":.5}"#, .unexpectedByte, 5), (#"{"a":1.}"#, .unexpectedByte, 7),
        (#"{"a":"\x"}"#, .unexpectedByte, 7), ("{\"a\":\"\t\"}", .unexpectedByte, 6),
        ("{} x", .unexpectedByte, 3), ("hello", .unexpectedByte, 0), ("nul", .truncated, 3),
        (#"{"a":"\u12"#, .truncated, 10), ("\u{FEFF}{}", .unexpectedByte, 0),
    ])
    func `a text that is not JSON is reported with its offset`(
        text: String, fault: JSONFault, offset: Int
    ) {
        #expect(self.fault(text) == .notJSON(fault, offset: offset))
    }

    @Test func `bytes that are not UTF-8 are not JSON`() {
        let bytes: [UInt8] = Array("{\"a\":\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}".utf8)
        let result = bytes.withUnsafeBytes { CaptureFrame.decode($0) }
        #expect(result == .failure(.notJSON(.invalidUTF8, offset: 6)))
    }

    @Test func `sixty-four levels are read and one more is not`() {
        func nested(_ depth: Int) -> String {
            #"{"x":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                + "}"
        }
        #expect(fault(nested(63)) == .otherType)
        #expect(fault(nested(64)) == .notJSON(.nestedTooDeep, offset: 68))
        #expect(fault(nested(100_000)) == .notJSON(.nestedTooDeep, offset: 68))
    }

    @Test(arguments: [
        "{}", "[]", "\"memory_capture\"", "null", "12", #"{"type":"ping"}"#, #"{"type":null}"#,
        #"{"type":7}"#, #"{"Type":"memory_capture"}"#, #"{"type":"memory_capture "}"#,
        #"{"type":"\ud800"}"#,
    ])
    func `JSON of another type is reported as such`(text: String) throws {
        let fault = try #require(self.fault(text))
        #expect(fault == .otherType)
        #expect(
            CaptureReply.refusal(fault)
                == #"{"ok":false,"error":"invalid_type","type":"error","status":"invalid_type","detail":"Expected type=memory_capture"}"#
        )
    }

    @Test(arguments: ["type", "id", "timestamp", "photoURL", "audioURL", "transcription"])
    func `a repeated field is refused`(name: String) throws {
        let frame =
            #"{"type":"memory_capture","timestamp":"x","id":"a","photoURL":"p","audioURL":"a","transcription":"t","\#(name)":"z"}"#
        let fault = try #require(self.fault(frame))
        #expect(fault == .duplicateKey(try #require(CaptureFault.Field(rawValue: name))))
        #expect(
            CaptureReply.refusal(fault)
                == #"{"ok":false,"error":"invalid_json","detail":"\#(name) stands twice"}"#)
    }

    private static let badFields: [(String, String)] = [
        (#""timestamp":null"#, "timestamp is missing"),
        (#""timestamp":"""#, "timestamp is missing"),
        (#""timestamp":1769178600"#, "timestamp must be a string"),
        (#""timestamp":"yesterday""#, "timestamp is no ISO 8601 date and time"),
        (#""timestamp":"2026-02-30T00:00:00Z""#, "timestamp is no ISO 8601 date and time"),
        (#""timestamp":"2026-01-23""#, "timestamp is no ISO 8601 date and time"),
        (#""timestamp":"0001-01-01T00:00:00+01:00""#, "timestamp is no ISO 8601 date and time"),
        (#""timestamp":"9999-12-31T23:59:59-01:00""#, "timestamp is no ISO 8601 date and time"),
        (#""id":7"#, "id must be a string"), (#""id":{}"#, "id must be a string"),
        (
            #""id":"../etc""#,
            "id must be 1 to 128 characters of A-Z a-z 0-9 - _ . and not begin with a dot"
        ),
        (#""photoURL":true"#, "photoURL must be a string"),
        (#""photoURL":"file:///etc/passwd""#, "photoURL is no http or https URL"),
        (#""photoURL":"https:///x""#, "photoURL is no http or https URL"),
        (#""photoURL":"https://a b""#, "photoURL is no http or https URL"),
        (#""audioURL":["https://x"]"#, "audioURL must be a string"),
        (#""audioURL":"javascript:alert(1)""#, "audioURL is no http or https URL"),
        (#""transcription":1"#, "transcription must be a string"),
        (
            #""transcription":"a\u0000b""#,
            "transcription must not contain U+0000 or half of a surrogate pair"
        ),
        (
            #""transcription":"\ud800""#,
            "transcription must not contain U+0000 or half of a surrogate pair"
        ),
        (
            #""transcription":"\udc00\ud800""#,
            "transcription must not contain U+0000 or half of a surrogate pair"
        ),
    ]

    @Test func `a time is accepted as that of a reading is, and the answer says which are`() throws
    {
        var limits = ReadingLimits()
        limits.ageMax = .seconds(86_400)
        let times = limits.times(at: Timestamp(unixSeconds: 1_769_178_600))
        for (sent, isAccepted) in [
            ("2026-01-22T14:30:00Z", true), ("2026-01-22T14:29:59.999999Z", false),
            ("2026-01-24T14:30:00Z", true), ("2026-01-24T14:30:00.000001Z", false),
        ] {
            var text = #"{"type":"memory_capture","id":"a","timestamp":"\#(sent)"}"#
            let result = text.withUTF8 {
                CaptureFrame.decode(UnsafeRawBufferPointer($0), accepting: times)
            }
            switch result {
            case .success: #expect(isAccepted, "\(sent)")
            case .failure(let fault):
                #expect(!isAccepted, "\(sent)")
                #expect(
                    CaptureReply.refusal(fault)
                        == #"{"ok":false,"error":"failed_to_save","detail":"timestamp is outside "#
                        + #"the accepted times, 2026-01-22T14:30:00Z to 2026-01-24T14:30:00Z"}"#)
            }
        }
    }

    @Test(arguments: badFields)
    func `a field that can't be kept is named`(field: String, detail: String) throws {
        let rest = field.hasPrefix("\"timestamp\"") ? "" : #","timestamp":"2026-01-23T14:30:00Z""#
        let fault = try #require(self.fault(#"{"type":"memory_capture",\#(field)\#(rest)}"#))
        #expect(
            CaptureReply.refusal(fault)
                == #"{"ok":false,"error":"failed_to_save","detail":"\#(detail)"}"#)
    }

    @Test(arguments: [
        ("id", 128, "a", ""), ("photoURL", 2048, "x", "http://"),
        ("audioURL", 2048, "x", "HTTPS://"),
        ("transcription", 32 * 1024, "t", ""),
    ])
    func `limits are inclusive`(name: String, max: Int, unit: String, start: String) throws {
        func frame(_ count: Int) -> String {
            let value = start + String(repeating: unit, count: count - start.count)
            return
                #"{"type":"memory_capture","timestamp":"2026-01-23T14:30:00Z","\#(name)":"\#(value)"}"#
        }
        _ = try decode(frame(max))
        #expect(fault(frame(max + 1)) != nil)
    }

    @Test func `ids are a safe part of a path`() {
        for id in ["a", "ABC-123", "0b7ff9a0-6e1c-4b66", "a.b_c", "-", "_"] {
            #expect(Capture.isID(id))
        }
        for id in ["", ".", "..", ".a", "a/b", "a\\b", "a b", "ä", "a\0", "a\n", "%2e"] {
            #expect(!Capture.isID(id), "\(id)")
        }
        #expect(Capture.isUserID("po-lin"))
        #expect(Capture.isUserID("用户 1"))
        #expect(!Capture.isUserID(""))
        #expect(!Capture.isUserID("a\0b"))
        #expect(Capture.isUserID(String(repeating: "ü", count: 128)))
        #expect(!Capture.isUserID(String(repeating: "u", count: 129)))
    }
}

extension CaptureFrame {
    static func decode(_ text: String) -> Result<Capture, CaptureFault> {
        Array(text.utf8).withUnsafeBytes { decode($0) }
    }
}
