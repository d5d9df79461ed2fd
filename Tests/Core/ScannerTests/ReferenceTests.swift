import Readings
import Testing

@testable import ScannerSupport

/// The reference's own answers, compared with answers written by hand.
@Suite struct `The reference decoder` {
    @Test(arguments: [
        ("1e2", "100"), ("1.50", "1.50"), ("1.5e1", "15"), ("1.5e-3", "0.0015"), ("1.0e0", "1.0"),
        ("-0", "0"),
        ("-0.0", "0.0"), ("0e5", "0"), ("0e-5", "0.00000"), ("-12.340e-1", "-1.2340"),
        ("0.10e1", "1.0"),
        ("1.50e1", "15.0"), ("1E+3", "1000"), ("-0.001e3", "-1"), ("0.001e2", "0.1"), ("10", "10"),
        ("0", "0"),
        ("123.456e1", "1234.56"), ("123.456e-4", "0.0123456"), ("-0e-2", "0.00"), ("9e0", "9"),
        ("1e30", "1000000000000000000000000000000"), ("0.0001e-2", "0.000001"),
    ])
    func `writes numbers out as numeric does`(number: String, plain: String) {
        #expect(DecimalText(number.utf8).plain == Array(plain.utf8))
    }

    @Test(
        arguments: [
            ("0", .number(0)), ("-0.000", .number(0)), ("0e999999999999", .number(0)),
            ("1e2", .number(100)),
            ("100e-2", .number(1)), ("-1.20e1", .number(-12)), ("1.5", .notWhole),
            ("1e-1", .notWhole),
            ("1e-99999999999999", .notWhole), ("1e18", .huge), ("99999999999999999999", .huge),
            ("999999999999999999", .number(999_999_999_999_999_999)), ("1e99999999999999", .huge),
        ] as [(String, DecimalText.Whole)])
    func `knows whole numbers in any form`(number: String, whole: DecimalText.Whole) {
        #expect(DecimalText(number.utf8).whole == whole)
    }

    @Test(arguments: [
        (#"{}"#, #"{}"#),
        (#"{"b":1,"a":2,"aa":3,"":4,"B":5,"b":7}"#, #"{"": 4, "B": 5, "a": 2, "b": 7, "aa": 3}"#),
        (#"{ "x" : [ 1 , [ ] , null,true ] }"#, #"{"x": [1, [], null, true]}"#),
        (
            #"{"a":"\u0041\/\"\\\b\f\n\r\t\u0001\u001F\u007f\u00e9\ud83d\ude00"}"#,
            "{\"a\": \"A/\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é😀\"}"
        ),
        (#"{"\u0061":1,"a":2}"#, #"{"a": 2}"#),
        (#"{"é":1,"z":2,"zz":3}"#, #"{"z": 2, "zz": 3, "é": 1}"#),
    ])
    func `prints objects as jsonb does`(json: String, text: String) throws {
        var parser = JSONParser(Array(json.utf8))
        let node = try parser.value()
        #expect(JSONBText(body: parser.bytes).text(of: node) == Array(text.utf8))
    }

    @Test(
        arguments: [
            ("2000-01-01T00:00:00Z", 0), ("2000-01-01T00:00:00.0000019Z", 1),
            ("1999-12-31T23:59:59Z", -1_000_000),
            ("2000-03-01", nil), ("2026-02-10 12:00:00", 824_040_000_000_000),
            ("2026-02-10T12:00:00+01:30", 824_034_600_000_000),
            ("2026-02-10T12:00:00-0130", 824_045_400_000_000),
            ("2024-02-29T23:59:59.999999", 762_566_399_999_999),
            ("2025-01-01t00:00:00z", 789_004_800_000_000),
        ] as [(String, Int64?)])
    func `reads times`(text: String, microseconds: Int64?) {
        #expect(TimestampText.timestamp(of: Array(text.utf8))?.microseconds == microseconds)
    }

    @Test func `joins surrogates to pairs from the left`() {
        #expect(JSONText(joining: [0xD83D, 0xDE00]).codePoints == [0x1F600])
        #expect(JSONText(joining: [0xD83D, 0xD83D, 0xDE00]).codePoints == [0xD83D, 0x1F600])
        #expect(JSONText(joining: [0xDE00, 0xD83D]).hasUnpairedSurrogate)
        #expect(JSONText(joining: [0xDBFF, 0xDFFF]).string == "\u{10FFFF}")
    }
}
