import Postgres

/// JSON from PostgreSQL's functions without the spaces between its tokens: `{"a" : 1}` becomes
/// `{"a":1}`, as in all other answers.
enum CompactJSON {
    /// - Parameter json: valid JSON; its strings are not changed.
    static func text(_ json: String) -> String {
        var json = json
        return json.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { compact in
                var count = 0
                var inString = false
                var isEscaped = false
                for byte in bytes {
                    if inString {
                        inString = isEscaped || byte != UInt8(ascii: "\"")
                        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                    } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                        continue
                    } else {
                        inString = byte == UInt8(ascii: "\"")
                    }
                    compact[count] = byte
                    count += 1
                }
                return count
            }
        }
    }
}
