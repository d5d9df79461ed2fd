import Foundation

/// Ids of logs, items, foods and consultations: lower-case UUIDs.
enum MealID {
    static func make() -> String {
        UUID().uuidString.lowercased()
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
