import Foundation
import Ingest

/// Ids of logs, items, foods and consultations: lower-case UUIDs.
enum MealID {
    static func make() -> String {
        UUID().uuidString.lowercased()
    }

    /// The id of the log that a user's request with this `Idempotency-Key` makes: always the same,
    /// and nobody else's.
    static func make(user: String, key: IdempotencyKey) -> String {
        var bytes = key.id(of: "meal-log", user: user)
        // RFC 9562, version 8: made by a rule of our own.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
        var id = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { id += "-" }
            id.append(digit)
        }
        return id
    }

    /// The id in lower case; nil if the text is not a UUID as 8-4-4-4-12 hexadecimal digits.
    static func canonical(_ text: String) -> String? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
        else { return nil }
        return text.lowercased()
    }
}
