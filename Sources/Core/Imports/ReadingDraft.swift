import JSONText

/// Writes a reading as a JSON object.
struct ReadingDraft {
    private var json: [UInt8] = []

    init() { json.reserveCapacity(160) }

    /// A text, also of a number: the scanner takes numbers in quotes.
    mutating func add(_ name: String, text: some Sequence<UInt8>) {
        begin(name)
        let bytes = Array(text)
        bytes.withUnsafeBytes { JSONString.append($0, to: &json) }
    }

    mutating func add(_ name: String, text: String) {
        add(name, text: text.utf8)
    }

    /// - Parameter value: valid JSON.
    mutating func add(_ name: String, json value: some Sequence<UInt8>) {
        begin(name)
        json += value
    }

    /// - Parameter known: nil: the name stands for a code that there is not.
    mutating func add(metric name: String, _ known: ImportContext.Metric?) {
        if let known { add("code", json: "\(known.code)".utf8) } else { add("metric", text: name) }
    }

    private mutating func begin(_ name: String) {
        json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
        json.append(UInt8(ascii: "\""))
        json += name.utf8
        json.append(UInt8(ascii: "\""))
        json.append(UInt8(ascii: ":"))
    }

    /// The whole object.
    consuming func finished() -> [UInt8] {
        if json.isEmpty { json.append(UInt8(ascii: "{")) }
        json.append(UInt8(ascii: "}"))
        return json
    }
}
