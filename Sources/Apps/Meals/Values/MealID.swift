import Foundation

/// Ids of logs, items, foods and consultations: UUIDs in lower case.
enum MealID {
    static func make() -> String {
        UUID().uuidString.lowercased()
    }

    /// The id in lower case; nil for what is no UUID in its usual form, 8-4-4-4-12 hexadecimal
    /// digits.
    static func canonical(_ text: String) -> String? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
        else { return nil }
        return text.lowercased()
    }
}

/// How far a log has come: `pending → processing → completed | failed`.
public enum MealStatus: String, Sendable, CaseIterable {
    /// Stored, no work begun.
    case pending
    /// Its parser has been asked.
    case processing
    /// Has items and totals.
    case completed
    /// No items will come.
    case failed

    /// Nothing follows but an edit by the user.
    public var isFinal: Bool {
        self == .completed || self == .failed
    }

    /// Whether a log in this status may be put into `next`.
    public func mayBecome(_ next: Self) -> Bool {
        switch (self, next) {
        case (.pending, .processing), (.processing, .completed), (.processing, .failed): true
        default: false
        }
    }

    /// - Throws: `MealFault.unknownValue` naming `field`, `.missing` for nil.
    public init(validating text: String?, field: String) throws(MealFault) {
        self = try MealFault.oneOf(Self.self, text, field: field)
    }
}

/// A sentence about a meal as it may be stored and parsed: 1–1000 scalars, not blank, no U+0000.
public struct MealText: Sendable, Equatable {
    /// As sent.
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
    /// Between.
    case snack

    /// - Throws: `MealFault.unknownValue` naming `field`, `.missing` for nil.
    public init(validating text: String?, field: String) throws(MealFault) {
        self = try MealFault.oneOf(Self.self, text, field: field)
    }
}
