import Scanner

extension Refusal {
    static let envelopes: [Refusal] = [
        .envelope("null", .bodyNotObject), .envelope(" true", .bodyNotObject),
        .envelope("[{},1", .bareElementNotObject(index: 1)),
        .envelope(" [[]", .bareElementNotObject(index: 0)), .unexpected("[]§]"),
        .unexpected("[§,"), .unexpected("[{}§}"), .unexpected("[{} §{}"),
        .envelope("1", .bodyNotObject), .envelope("-", .bodyNotObject),
        .envelope("\"", .bodyNotObject), .envelope("txyz", .bodyNotObject),
        .envelope("f", .bodyNotObject), .envelope("0", .bodyNotObject),

        .envelope("{}", .metadataMissing), .envelope(#"{"data":[]}"#, .metadataMissing),
        .envelope(#"{"Metadata":{},"METADATA":{},"data":[]}"#, .metadataMissing),
        .envelope(#"{"metadata":{"device_id":"d"}}"#, .dataMissing),
        .envelope(#"{"metadata":{"device_id":"d"},"Data":[]}"#, .dataMissing),
        .unexpected("{}§x"),

        .envelope(#"{"metadata":null,"data":[]}"#, .metadataNotObject),
        .envelope(#"{"metadata":["#, .metadataNotObject),
        .envelope(#"{"metadata":"x"}"#, .metadataNotObject),
        .envelope(#"{"metadata":-"#, .metadataNotObject),
        .envelope(#"{"\u006detadata":tr"#, .metadataNotObject),

        .envelope(#"{"data":null,"#, .dataNotArray), .envelope(#"{"data":{"#, .dataNotArray),
        .envelope(#"{"data":"[]""#, .dataNotArray), .envelope(#"{"data":1"#, .dataNotArray),
        .envelope(#"{"d\u0061ta":false"#, .dataNotArray),

        .envelope(#"{"data":[1"#, .elementNotObject(index: 0)),
        .envelope(#"{"data":[{},{},nul"#, .elementNotObject(index: 2)),
        .envelope(#"{"data":[{},[{}]]}"#, .elementNotObject(index: 1)),
        .envelope(#"{"data":["{}"]}"#, .elementNotObject(index: 0)),
        .envelope(#"{"data":[ -"#, .elementNotObject(index: 0)),

        .envelope(#"{"metadata":{}"#, .deviceIDMissing),
        .envelope(#"{"metadata":{"device_id":null}"#, .deviceIDMissing),
        .envelope(#"{"metadata":{"Device_id":"a","x":{"device_id":"b"}}"#, .deviceIDMissing),
        .envelope(#"{"metadata":{"device_id":1}"#, .notString(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":NaN}"#, .notString(field: "device_id")),
        .envelope(#"{"a":NaN,"b":[-Infinity]}"#, .metadataMissing),
        .envelope(#"{"metadata":{"device_id":["a"]}"#, .notString(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":{}}"#, .notString(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":true}"#, .notString(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":""}"#, .empty(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":"\u0000"}"#, .notText(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":"a\ud800b"}"#, .notText(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":"\udc00\ud800"}"#, .notText(field: "device_id")),
        .envelope(#"{"metadata":{"device_id":"\ud83d"}"#, .notText(field: "device_id")),
        .envelope(long("device_id", 129), .tooLong(field: "device_id", charactersMax: 128)),

        .envelope(#"{"metadata":{"device_id":"d","user_id":7}"#, .notString(field: "user_id")),
        .envelope(#"{"metadata":{"device_id":"d","user_id":""}"#, .empty(field: "user_id")),
        .envelope(#"{"metadata":{"device_id":"d","user_id":"\u0000"}"#, .notText(field: "user_id")),
        .envelope(long("user_id", 129), .tooLong(field: "user_id", charactersMax: 128)),
        .envelope(#"{"metadata":{"device_id":"d","version":1.0}"#, .notString(field: "version")),
        .envelope(#"{"metadata":{"device_id":"d","version":"\ud800"}"#, .notText(field: "version")),
        .envelope(long("version", 257), .tooLong(field: "version", charactersMax: 256)),
        .envelope(
            #"{"metadata":{"device_id":"d","model_name":[]}"#, .notString(field: "model_name")),
        .envelope(
            #"{"metadata":{"device_id":"d","model_name":"\u0000"}"#, .notText(field: "model_name")),
        .envelope(long("model_name", 257), .tooLong(field: "model_name", charactersMax: 256)),

        .envelope(#"{"metadata":{"device_id":"d"},"metadata""#, .duplicateKey(field: "metadata")),
        .envelope(
            #"{"metadata":{"device_id":"d"},"\u006Detadata":1"#, .duplicateKey(field: "metadata")),
        .envelope(#"{"data":[],"x":1,"data":["#, .duplicateKey(field: "data")),
        .envelope(
            #"{"metadata":{"device_id":"d","device_id":"d"}"#, .duplicateKey(field: "device_id")),
        .envelope(
            #"{"metadata":{"device_id":null,"device_i\u0064":"d"}"#,
            .duplicateKey(field: "device_id")),
        .envelope(#"{"metadata":{"user_id":1,"user_id":1}"#, .duplicateKey(field: "user_id")),
        .envelope(#"{"metadata":{"version":1,"version":1}"#, .duplicateKey(field: "version")),
        .envelope(
            #"{"metadata":{"model_name":1,"model_name":1}"#, .duplicateKey(field: "model_name")),
    ]

    /// Several faults at once, and which of them counts.
    static let order: [Refusal] = [
        // The first in byte order.
        .envelope(#"{"data":null,"metadata":null,x"#, .dataNotArray),
        .unexpected(#"{"data":[§x"#), .envelope(#"{"metadata":[x"#, .metadataNotObject),
        .unexpected(#"{"metadata":{"device_id":1,§}"#),
        .envelope(#"{"metadata":{"device_id":1},"#, .notString(field: "device_id")),
        .truncated(#"{"metadata":{"device_id":1"#),
        .invalidUTF8(#"{"metadata":{"device_id":1,"x":"§‹FF›","#),
        .envelope(#"{"data":[{"lat":"x"},7,]}"#, .elementNotObject(index: 1)),
        .unexpected(#"{"data":[{"type":"fax"},{§]"#),
        .unexpected(#"{"data":[]}§,{"metadata":{}}"#),
        // Inside `metadata`: duplicates count as they appear, then one field after the other.
        .envelope(
            #"{"metadata":{"version":1,"device_id":2,"device_id":3,"version":4}"#,
            .duplicateKey(field: "device_id")),
        .envelope(
            #"{"metadata":{"version":1,"version":2,"device_id":3,"device_id":4}"#,
            .duplicateKey(field: "version")),
        .envelope(#"{"metadata":{"version":1,"model_name":2,"user_id":3}"#, .deviceIDMissing),
        .envelope(
            #"{"metadata":{"version":1,"model_name":2,"user_id":3,"device_id":""}"#,
            .empty(field: "device_id")),
        .envelope(
            #"{"metadata":{"version":1,"model_name":2,"user_id":3,"device_id":"d"}"#,
            .notString(field: "user_id")),
        .envelope(
            #"{"metadata":{"model_name":2,"version":1,"device_id":"d"}"#,
            .notString(field: "version")),
        .envelope(
            #"{"metadata":{"device_id":"\u0000\#(String(repeating: "x", count: 128))"}"#,
            .tooLong(field: "device_id", charactersMax: 128)),
        // Missing parts are certain only at the end.
        .envelope(#"{"x":{}}"#, .metadataMissing), .unexpected(#"{"data":[]}§."#),
    ]

    private static func long(_ field: String, _ characters: Int) -> String {
        let value = String(repeating: "é", count: characters)
        let id = field == "device_id" ? "" : #","device_id":"d""#
        return #"{"metadata":{"\#(field)":"\#(value)"\#(id)}"#
    }
}
