import Readings

extension ReadingCase {
    static let events: [ReadingCase] = [
        .event(#""label":"a""#), .event(#""label":"a","val_text":"b","metadata":{}"#),
        .event(#""label":"a","val_text":null,"metadata":null"#),
        .event(#""label":"a","val_text":"""#),
        .event(#""x":1"#, .labelMissing), .event(#""label":null"#, .labelMissing),
        .event(#""label":"""#, .labelInvalid), .event(#""label":1"#, .labelInvalid),
        .event(#""label":true"#, .labelInvalid), .event(#""label":{}"#, .labelInvalid),
        .event(#""label":NaN"#, .labelInvalid), .event(#""label":["a"]"#, .labelInvalid),
        .event(#""label":"\ud800""#, .labelInvalid),
        .event(#""label":"a\udc00b""#, .labelInvalid),
        .event(#""label":"\ud83d\ud83d\ude00""#, .labelInvalid),
        .event(#""label":"\ud83d\ude00""#), .event(#""label":"\u0000""#, .labelContainsNul),
        .event(#""label":"a\u0000b""#, .labelContainsNul),
        .event(#""label":"\#(repeated("a", 256))""#),
        .event(#""label":"\#(repeated("a", 257))""#, .labelTooLong),
        .event(#""label":"\#(repeated("é", 128))""#),
        .event(#""label":"\#(repeated("é", 128))a""#, .labelTooLong),
        .event(#""label":"\#(repeated("\\u0061", 256))""#),
        .event(#""label":"\#(repeated("\\u0061", 257))""#, .labelTooLong),
        .event(#""label":"\#(repeated("\\ud83d\\ude00", 64))""#),
        .event(#""label":"\#(repeated("\\ud83d\\ude00", 65))""#, .labelTooLong),
        // Invalid counts before too long, and too long before NUL.
        .event(#""label":"\u0000\#(repeated("a", 256))""#, .labelTooLong),
        .event(#""label":"\#(repeated("a", 256))\ud800""#, .labelInvalid),
        .event(#""label":"\u0000\ud800""#, .labelInvalid),

        .event(#""label":"a","val_text":1"#, .valueTextInvalid),
        .event(#""label":"a","val_text":{}"#, .valueTextInvalid),
        .event(#""label":"a","val_text":false"#, .valueTextInvalid),
        .event(#""label":"a","val_text":"\udfff""#, .valueTextInvalid),
        .event(#""label":"a","val_text":"x\u0000""#, .valueTextContainsNul),
        .event(#""label":"a","val_text":"\#(repeated("v", 8192))""#),
        .event(#""label":"a","val_text":"\#(repeated("v", 8193))""#, .valueTextTooLong),
        .event(#""label":"a","val_text":"\#(repeated("\\n", 8192))""#),
        .event(#""label":"a","val_text":"\#(repeated("\\n", 8193))""#, .valueTextTooLong),
        .event(#""label":"a","val_text":"\#(repeated("€", 2731))""#, .valueTextTooLong),
        .event(#""label":"a","val_text":"\u0000\#(repeated("v", 8192))""#, .valueTextTooLong),
        .event(#""label":"a","val_text":"\#(repeated("v", 8193))\ud800""#, .valueTextInvalid),

        .event(#""label":"a","metadata":1"#, .metadataInvalid),
        // The first of two faults counts, whatever escapes stand between them.
        .event(#""label":"a","metadata":{"k":"\ud800\n\u0041\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"k":"\u0000\n\u0041\ud800"}"#, .metadataContainsNul),
        .event(#""label":"a","val_text":-Infinity"#, .valueTextInvalid),
        // jsonb has neither.
        .event(#""label":"a","metadata":NaN"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":NaN}"#, .metadataInvalid),
        .event(#""metadata":{"a":1,"b": -Infinity },"label":"a""#, .metadataInvalid),
        .event(#""metadata":{"a":[1,{"b":[Infinity]}]},"label":"a""#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":NaN,"b":"\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"b":"\u0000","a":NaN}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"a":NaN,"a":1}"#, .metadataInvalid),
        .event(#""label":"a","metadata":"{}""#, .metadataInvalid),
        .event(#""label":"a","metadata":[]"#, .metadataInvalid),
        .event(#""label":"a","metadata":false"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\ud800"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"\udc00":1}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":[{"b":["\ud83dx"]}]}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\u0000"}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"\u0000":1}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"a":[[{"b\u0000":1}]]}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"a":1e400,"b":1e-400,"d":0e0}"#),
        .event(#""label":"a","metadata":{"c":1e+00400,"d":0e400}"#),
        // Written out, numbers may gain 1024 bytes together: 396, 396 and 232 here, then one more.
        .event(#""label":"a","metadata":{"a":1e400,"b":1e-400,"c":1e236}"#),
        .event(
            #""label":"a","metadata":{"a":1e400,"b":1e-400,"c":1e237}"#, .metadataNumberOutOfRange),
        // Numbers that become shorter don't compensate, and the numbers of overridden keys count.
        .event(
            #""label":"a","metadata":{"a":1e400,"b":1e-400,"c":1e237,"d":0e00000000000000}"#,
            .metadataNumberOutOfRange),
        .event(
            #""label":"a","metadata":{"a":[1e400,1e400],"b":[[1e400]],"b":{"a":1}}"#,
            .metadataNumberOutOfRange),
        .event(
            #""label":"a","metadata":{"a":[\#(repeated("1e400,", 2000))1]}"#,
            .metadataNumberOutOfRange),
        .event(#""label":"a","metadata":{"a":1e401}"#, .metadataNumberOutOfRange),
        .event(#""label":"a","metadata":{"a":1e-401}"#, .metadataNumberOutOfRange),
        .event(#""label":"a","metadata":{"a":0e401}"#, .metadataNumberOutOfRange),
        .event(
            #""label":"a","metadata":{"a":[[1E+99999999999999999999]]}"#, .metadataNumberOutOfRange),
        .event(#""label":"a","metadata":{"a":1e-18446744073709551616}"#, .metadataNumberOutOfRange),
        .event(#""label":"a","metadata":{"a":"1e401"}"#),
        // PostgreSQL's numeric holds 16 383 digits after the point.
        .event(#""label":"a","metadata":{"a":0.\#(repeated("0", 15_983))e-400}"#),
        .event(
            #""label":"a","metadata":{"a":0.\#(repeated("0", 15_984))e-400}"#,
            .metadataNumberOutOfRange),
        .event(#""label":"a","metadata":\#(object(bytes: 16_384))"#),
        .event(#""label":"a","metadata":\#(object(bytes: 16_385))"#, .metadataTooLong),
        .event(#""label":"a","metadata":{ \#(repeated(" ", 16_381))}"#),
        .event(#""label":"a","metadata":{ \#(repeated(" ", 16_382))}"#, .metadataTooLong),
        .event(#""label":"a","metadata":[\#(repeated(" ", 16_384))]"#, .metadataInvalid),
        .event(
            #""label":"a","metadata":{"a":"\u0000","b":"\#(repeated("x", 16_384))"}"#,
            .metadataTooLong),
        // The first fault in byte order counts, even where a later key would win.
        .event(
            #""label":"a","metadata":{"a":"\u0000","b":"\ud800","c":1e999}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"b":"\ud800","a":"\u0000","c":1e999}"#, .metadataInvalid),
        .event(
            #""label":"a","metadata":{"c":1e999,"a":"\u0000","b":"\ud800"}"#,
            .metadataNumberOutOfRange),
        .event(#""label":"a","metadata":{"a":"\ud800\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\u0000\ud800"}"#, .metadataContainsNul),
        .event(
            #""label":"a","metadata":{"a":"\ud83d\ude00\u0000\ud800"}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"a":"\ud83d\ude00\ud800\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"\ud83d\ude00\ude00":"\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\\u0000\\ud800"}"#),
        .event(#""label":"a","metadata":{"a":"\ud83dabcd\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\ud83d\n\ude00\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\ud83da\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\ud83d\ud83d\ude00\u0000"}"#, .metadataInvalid),
        .event(#""label":"a","metadata":{"a":"\u0000\ud83dabcd\n"}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"a":"\\\u0000"}"#, .metadataContainsNul),
        .event(#""label":"a","metadata":{"a":1e999,"a":1}"#, .metadataNumberOutOfRange),

        .event(#""metadata":1,"val_text":1,"label":1"#, .labelInvalid),
        .event(#""metadata":1,"val_text":1,"label":"a""#, .valueTextInvalid),
    ]

    /// An object of exactly that many bytes.
    private static func object(bytes: Int) -> String {
        "{\"a\":\"" + repeated("x", bytes - 8) + "\"}"
    }
}
