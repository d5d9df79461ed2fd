/// Checks of single fields, shared by all requests. The faults name `field`.
enum FieldRules {
    static func amount(
        _ value: Double?, max: Double, field: String
    ) throws(MealFault) -> Double {
        guard let value else { throw .missing(field: field) }
        guard value.isFinite else { throw .notFinite(field: field) }
        guard value >= 0 else { throw .negative(field: field) }
        guard value <= max else { throw .tooLarge(field: field, max: max) }
        return value
    }

    static func optional(
        _ value: Double?, max: Double, field: String
    ) throws(MealFault) -> Double? {
        guard let value else { return nil }
        return try amount(value, max: max, field: field)
    }

    static func text(_ text: String?, max: Int, field: String) throws(MealFault) -> String {
        guard let text else { throw .missing(field: field) }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .empty(field: field)
        }
        guard text.unicodeScalars.count <= max else { throw .tooLong(field: field, max: max) }
        guard !text.unicodeScalars.contains("\0") else { throw .notText(field: field) }
        return text
    }

    static func notes(_ text: String?, field: String) throws(MealFault) -> String? {
        guard let text else { return nil }
        guard text.unicodeScalars.count <= Meals.textLengthMax else {
            throw .tooLong(field: field, max: Meals.textLengthMax)
        }
        guard !text.unicodeScalars.contains("\0") else { throw .notText(field: field) }
        return text
    }

    static func identifier(_ text: String?, field: String) throws(MealFault) -> String? {
        guard let text else { return nil }
        guard let id = MealID.canonical(text) else { throw .notID(field: field) }
        return id
    }
}
