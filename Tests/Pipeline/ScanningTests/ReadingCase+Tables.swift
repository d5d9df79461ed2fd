import Readings

extension ReadingCase {
    static let whole: [ReadingCase] = [
        .init("", .typeMissing),
        .init(#""type":null"#, .typeMissing), .init(#""type":1"#, .typeUnknown),
        .init(#""type":"GPS""#, .typeUnknown), .init(#""type":"gpss""#, .typeUnknown),
        .init(#""type":"gp""#, .typeUnknown), .init(#""type":"""#, .typeUnknown),
        .init(#""type":["gps"]"#, .typeUnknown), .init(#""type":"vital\u0000""#, .typeUnknown),
        .init(#""type":"\ud800""#, .typeUnknown), .init(#""Type":"gps""#, .typeMissing),
        .init(#""type":"\u0067ps""#, .timeMissing), .init(#""typ\u0065":"gps""#, .timeMissing),
        // Known keys twice, whatever their values and the kind.
        .init(#""t":1,"t":1"#, .duplicateKey), .init(#""t":null,"\u0074":null"#, .duplicateKey),
        .init(#""type":"fax","type":"gps""#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"lat":1"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"lon":2"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"acc":null,"acc":null"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"code":1,"code":1"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"val":1,"v\u0061l":1"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"label":1,"label":1"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"val_text":1,"val_text":1"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"metadata":1,"metadata":1"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"device_id":null,"device_id":null"#, .duplicateKey),
        .gps(#""lat":1,"lon":1,"x":1,"x":1,"":1,"":1"#),
        .gps(#""lat":1,"lon":1,"x":{"t":1,"t":1}"#),
        // Fields of other kinds are ignored whatever they are.
        .gps(#""lat":1,"lon":1,"code":"x","val":{},"label":"\u0000","val_text":[],"metadata":1"#),
        .vital(#""code":1,"val":1,"lat":"x","lon":1e999,"acc":{},"label":"","metadata":"\ud800""#),
        .event(#""label":"a","lat":"x","lon":1e999,"acc":{},"code":0.5,"val":true"#),
        // The device.
        .gps(#""lat":1,"lon":1,"device_id":"""#, .deviceIDInvalid),
        .gps(#""lat":1,"lon":1,"device_id":5"#, .deviceIDInvalid),
        .gps(#""lat":1,"lon":1,"device_id":["a"]"#, .deviceIDInvalid),
        .gps(#""lat":1,"lon":1,"device_id":"a\u0000""#, .deviceIDInvalid),
        .gps(#""lat":1,"lon":1,"device_id":"\udc00\ud800""#, .deviceIDInvalid),
        .gps(#""lat":1,"lon":1,"device_id":"\#(repeated("é", 129))""#, .deviceIDInvalid),
        .gps(
            #""lat":1,"lon":1,"device_id":"\#(repeated("\\ud83d\\ude00", 129))""#, .deviceIDInvalid),
        .gps(#""lat":1,"lon":1,"device_id":"\#(repeated("é", 128))""#),
        .gps(#""lat":1,"lon":1,"device_id":"\#(repeated("\\ud83d\\ude00", 128))""#),
        .gps(#""lat":1,"lon":1,"device_id":"\#(repeated("İ", 128))""#),
        // Faults count in this order.
        .init(#""type":"fax","type":"fax","t":"x""#, .duplicateKey),
        .init(#""type":"fax","t":"x","device_id":1"#, .typeUnknown),
        .init(#""device_id":1,"t":"x","type":"gps""#, .timeInvalid),
        .init(#""device_id":1,"t":"2020-01-01T00:00:00Z","type":"gps""#, .timeTooOld),
        .gps(#""device_id":1,"lat":"x""#, .deviceIDInvalid),
    ]

    static let times: [ReadingCase] =
        [
            .time("null", .timeMissing), .time("1e300", .timeInvalid),
            .time("1768089599"), .time("1768089599.25"), .time("17680895e2"),
            .time(#""1768089599""#), .time("1768089599123"), .time("17680895991234e-1"),
            .time("1768089599123456", .timeInvalid), .time("1e11", .timeTooOld),
            .time("99999999999", .timeInFuture), .time("-1", .timeTooOld),
            .time(#""1768089599 ""#, .timeInvalid), .time("{}", .timeInvalid),
            .time(#""2026-02-10T10:00""#), .time(#""20260210T1000Z""#),
            .time(#""20260210t100000.5+0100""#), .time(#""20260210 100000,25-01:30""#),
            .time(#""2026-01-10T24:00:00Z""#), .time(#""2026-01-10 24:00""#),
            .time(#""2026-01-10T23:59:60Z""#), .time(#""2026-01-10T23:59:60.75+12""#),
            .time(#""2026-01-10T23:59:59,5Z""#),
            .time("[]", .timeInvalid), .time("true", .timeInvalid),
            .time(#""2026-02-10T10:00:00\ud800""#, .timeInvalid),
            .time(#""2026-02-11T15:00:00Z""#), .time(#""2026-02-11T15:00:00.0000009Z""#),
            .time(#""2026-02-11T15:00:00.000001Z""#, .timeInFuture),
            .time(#""2026-02-11T16:00:01+01:00""#, .timeInFuture),
            .time(#""9999-12-31T23:59:59-23:59""#, .timeInFuture),
            .time(#""2024-02-10T15:00:00Z""#),
            .time(#""2024-02-10T14:59:59.999999Z""#, .timeTooOld),
            .time(#""2024-02-10T15:59:59+01:00""#, .timeTooOld),
            .time(#""1999-12-31T23:59:59Z""#, .timeTooOld),
            .time(#""0001-01-01T00:00:00+23:59""#, .timeTooOld),
            .time(#""\u00322026-02-10T10:00:00Z""#, .timeInvalid),
            .time(#""\u0032\u003026-02-10T10:00:00Z""#),
        ]
        + [
            "", "2026-02-10", "2026-02-10T10:00:00.Z", "2026-02-10T10:00:00.",
            "2026-02-29T00:00:00Z", "2025-02-29T00:00:00Z", "2024-02-30T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-00-10T00:00:00Z", "2026-13-10T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-32T00:00:00Z", "0000-01-01T00:00:00Z", "1900-02-29T00:00:00Z",
            "2026-01-10T23:60:00Z",
            "2026-01-10T23:59:59+24:00", "2026-01-10T23:59:59-12:60",
            "2026-01-10T23:59:59+12:", "2026-01-10T23:59:59+1:00", "2026-01-10T23:59:59+123",
            "2026-01-10T23:59:59+12:300", "2026-01-10T23:59:59+12345", "2026-01-10T23:59:59+12:30Z",
            "2026-01-10T23:59:59ZZ", "2026-01-10T23:59:59Z ", " 2026-01-10T23:59:59Z",
            "2026-1-10T23:59:59Z", "26-01-10T23:59:59Z", "02026-01-10T23:59:59Z",
            "+2026-01-10T23:59:59Z", "2026/01/10T23:59:59Z", "2026-01-10X23:59:59Z",
            "2026-01-10  23:59:59Z", "2026-01-10T23:59:59.5.5Z",
            "2026-01-10T23:59:59.5 Z", "2026-01-10T23:59:59.a", "2026-01-10T23:59:5Z",
            "2026-01-10T23:59:5:Z", "2026-01-10T2/:59:59Z", "2026-01-10T23:5:59Z",
            "2026-01-10T23:59:59+-1:00", "2026-01-10T23:59:59z0", "2026-01-10T23:59:59+0:000",
            "２026-01-10T23:59:59Z", "2026-01-10T23:59:59\u{2028}",
            "2026-01-10T23:59:59.12345678901x",
        ].map { .time("\"\($0)\"", .timeInvalid) }

    static let positions: [ReadingCase] =
        [
            .gps(#""lat":1,"lon":2"#), .gps(#""lon":2,"lat":1,"acc":5"#),
            .gps(#""lat":7e-310,"lon":-5e-324"#), .gps(#""lat":"-7e-310","lon":1e-308"#),
            .gps(#""lat":2.2250738585072014e-308,"lon":-2.2250738585072014e-308"#),
            .gps(#""lat":90,"lon":180"#), .gps(#""lat":-90.0,"lon":-1.8e2"#),
            .gps(#""lat":90.00000000000000000001,"lon":180"#),
            .gps(#""lat":90.00000000000001421085,"lon":180"#, .latitudeOutOfRange),
            .gps(#""lat":90.00000000000002,"lon":0"#, .latitudeOutOfRange),
            .gps(#""lat":-90.5,"lon":0"#, .latitudeOutOfRange),
            .gps(#""lat":1e999,"lon":0"#, .latitudeOutOfRange),
            .gps(#""lat":"-1e999","lon":0"#, .latitudeOutOfRange),
            .gps(#""lon":0"#, .latitudeMissing), .gps(#""lat":null,"lon":0"#, .latitudeMissing),
            .gps(#""lat":0"#, .longitudeMissing), .gps(#""lat":0,"lon":null"#, .longitudeMissing),
            .gps(#""lat":0,"lon":180.00000000000003"#, .longitudeOutOfRange),
            .gps(#""lat":0,"lon":-181"#, .longitudeOutOfRange),
            .gps(#""lat":0,"lon":-1e400"#, .longitudeOutOfRange),
            .gps(#""lat":0,"lon":0,"acc":-1"#), .gps(#""lat":0,"lon":0,"acc":-0.0"#),
            .gps(#""lat":0,"lon":0,"acc":"-5""#), .gps(#""lat":0,"lon":0,"acc":1e308"#),
            .gps(#""lat":0,"lon":0,"acc":-1e308"#), .gps(#""lat":0,"lon":0,"acc":null"#),
            .gps(#""lat":0,"lon":0,"acc":1e309"#, .accuracyOutOfRange),
            .gps(#""lat":0,"lon":0,"acc":-1e309"#, .accuracyOutOfRange),
            .gps(#""lat":0,"lon":0,"acc":"""#, .accuracyInvalid),
            .gps(#""lat":"x","lon":"x","acc":"x""#, .latitudeInvalid),
            .gps(#""lon":"x","acc":"x","lat":91"#, .latitudeOutOfRange),
            .gps(#""lon":"x","acc":"x","lat":9"#, .longitudeInvalid),
        ]
        + notNumbers.map { .gps("\"lat\":\($0),\"lon\":0", .latitudeInvalid) }
        + notNumbers.map { .gps("\"lat\":0,\"lon\":\($0)", .longitudeInvalid) }
        + notNumbers.map { .gps("\"lat\":0,\"lon\":0,\"acc\":\($0)", .accuracyInvalid) }

    static let vitals: [ReadingCase] =
        [
            .vital(#""code":1,"val":72"#), .vital(#""code":"1","val":"72.5""#),
            .vital(#""code":1.0,"val":1"#), .vital(#""code":1e2,"val":1"#),
            .vital(#""code":100e-2,"val":1"#), .vital(#""code":-0,"val":1"#),
            .vital(#""code":0e99999999999999999999,"val":1"#),
            .vital(#""code":0.000e-99999999999999999999,"val":1"#),
            .vital(#""code":32767,"val":1"#), .vital(#""code":-32768,"val":1"#),
            .vital(#""code":32767.000000000000000000000000000000,"val":1"#),
            .vital(#""code":3276700000000000000000000000e-23,"val":1"#),
            .vital(#""code":32768,"val":1"#, .codeOutOfRange),
            .vital(#""code":-32769,"val":1"#, .codeOutOfRange),
            .vital(#""code":65536,"val":1"#, .codeOutOfRange),
            .vital(#""code":18446744073709551617,"val":1"#, .codeOutOfRange),
            .vital(#""code":1e400,"val":1"#, .codeOutOfRange),
            .vital(#""code":1e99999999999999999999,"val":1"#, .codeOutOfRange),
            .vital(#""code":1.5,"val":1"#, .codeInvalid),
            .vital(#""code":1e-1,"val":1"#, .codeInvalid),
            .vital(#""code":32768.5,"val":1"#, .codeInvalid),
            .vital(#""code":1.00000000000000000000000000001,"val":1"#, .codeInvalid),
            .vital(#""code":0.99999999999999999999999999999,"val":1"#, .codeInvalid),
            .vital(#""code":1e-400,"val":1"#, .codeInvalid),
            .vital(#""code":1e-99999999999999999999,"val":1"#, .codeInvalid),
            .vital(#""code":18446744073709551617.5,"val":1"#, .codeInvalid),
            .vital(#""val":1"#, .codeMissing), .vital(#""code":null,"val":1"#, .codeMissing),
            .vital(#""code":1"#, .valueMissing), .vital(#""code":1,"val":null"#, .valueMissing),
            .vital(#""code":1,"val":1e309"#, .valueOutOfRange),
            .vital(#""code":1,"val":"-1e309""#, .valueOutOfRange),
            .vital(#""code":1,"val":1.7976931348623157e308"#, .valueOutOfRange),
            .vital(#""code":1,"val":1e100"#), .vital(#""code":1,"val":"-1e100""#),
            .vital(#""code":1,"val":1.0000000000000002e100"#, .valueOutOfRange),
            .vital(#""code":1,"val":-1.0000000000000002e100"#, .valueOutOfRange),
            .vital(#""code":1,"val":1e-100"#), .vital(#""code":1,"val":-1e-100"#),
            .vital(#""code":1,"val":9.9999999999999999e-101"#),
            .vital(#""code":1,"val":9.999999999999999e-101"#, .valueOutOfRange),
            .vital(#""code":1,"val":"-5e-324""#, .valueOutOfRange),
            .vital(#""code":1,"val":0"#), .vital(#""code":1,"val":-0.0"#),
            .vital(#""code":1,"val":1.7976931348623159e308"#, .valueOutOfRange),
            .vital(#""val":"x","code":99999"#, .codeOutOfRange),
        ]
        + notNumbers.map { .vital("\"code\":\($0),\"val\":0", .codeInvalid) }
        + notNumbers.map { .vital("\"code\":0,\"val\":\($0)", .valueInvalid) }

    /// JSON values that are no number and no string with just a number in it.
    private static let notNumbers = [
        #""""#, #"" 1""#, #""1 ""#, #""01""#, #""1.""#, #"".5""#, #""+1""#, #""-""#, #""1e""#,
        #""NaN""#,
        #""Infinity""#, #""0x10""#, #""1,5""#, #""1\u0000""#, #""\ud800""#, "true", "false", "{}",
        "[]",
        "[1]", #""null""#, #""1\n""#, #""\"1\"""#, #""１""#, #"{"a":1}"#,
    ]

    static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }
}
