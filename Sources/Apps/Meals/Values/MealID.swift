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

/// The state of a log: `pending → processing → completed | failed`. An edit by the user makes any
/// log `completed`.
public enum MealStatus: String, Sendable, CaseIterable {
    /// In the spool, not in the database yet. Only the 202 response shows this status.
    case pending
    /// Stored; its parse job has not finished.
    case processing
    /// The log has items and totals.
    case completed
    /// The parse job failed; the log has no items.
    case failed

    /// Whether only an edit by the user can change the status.
    public var isFinal: Bool {
        self == .completed || self == .failed
    }

    /// - Throws: `MealFault.unknownValue` naming `field`, `.missing` for nil.
    public init(validating text: String?, field: String) throws(MealFault) {
        self = try MealFault.oneOf(Self.self, text, field: field)
    }
}

/// A sentence about a meal: 1–1000 Unicode scalars, not blank, without U+0000.
public struct MealText: Sendable, Equatable {
    /// The text as sent.
    public let text: String

    /// - Throws: `MealFault` naming `field`.
    public init(_ text: String?, field: String = "raw_input") throws(MealFault) {
        guard let text else { throw .missing(field: field) }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .empty(field: field)
        }
        guard text.unicodeScalars.count <= Meals.textLengthMax else {
            throw .tooLong(field: field, max: Meals.textLengthMax)
        }
        guard !text.unicodeScalars.contains("\0") else { throw .notText(field: field) }
        self.text = text
    }
}

/// Which meal of the day a log belongs to, as the client sends it.
public enum MealType: String, Sendable, CaseIterable {
    /// In the morning.
    case breakfast
    /// At midday.
    case lunch
    /// In the evening.
    case dinner
    /// Between meals.
    case snack

    /// - Throws: `MealFault.unknownValue` naming `field`, `.missing` for nil.
    public init(validating text: String?, field: String) throws(MealFault) {
        self = try MealFault.oneOf(Self.self, text, field: field)
    }
}
