import JSONText
import Readings

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

    /// Speed and course of a position, which share a column of the table.
    mutating func add(motion text: some Sequence<UInt8>) {
        // What is no number is told by the scanner.
        guard let motion = Int64(String(decoding: Array(text), as: UTF8.self)) else {
            return add("speed", text: text)
        }
        var shift: Int64 = 0
        for field in ReadingKind.gps.schema.fields.reversed() {
            guard case .share(let bits, _) = field.rule else { continue }
            let part = motion >> shift & (1 << Int64(bits) - 1)
            shift += Int64(bits)
            if part != 1 << Int64(bits) - 1 { add(field.name, json: "\(Double(part) / 1e6)".utf8) }
        }
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
