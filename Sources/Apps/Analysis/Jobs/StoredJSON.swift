import Foundation
import Postgres
import Readings

/// Encodes and decodes values that the database stores as JSON.
enum StoredJSON {
    /// Keys are sorted, so equal values have equal texts.
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // Only numbers that are not finite can't be encoded, and those have been rejected
            // earlier.
            preconditionFailure("BUG: a value that can't be encoded")
        }
    }

    /// - Throws: when the stored text does not have the form that this version writes.
    static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
