import Foundation

/// Values as JSON text, to and from the database.
enum StoredJSON {
    /// Keys in order, so that equal values are equal texts.
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // Only numbers that are not finite can't be encoded, and they have been refused.
            preconditionFailure("BUG: a value that can't be encoded")
        }
    }

    /// - Throws: what is stored is not what this version writes.
    static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
