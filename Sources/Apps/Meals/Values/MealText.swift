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
