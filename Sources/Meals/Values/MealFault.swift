/// Why a request about meals is refused, with the field that is wrong (`items[2].protein_g`).
public enum MealFault: Error, Equatable, Sendable {
    /// No JSON; `offset` in bytes.
    case notJSON(offset: Int)
    /// JSON, but no object where one must be.
    case notObject(field: String)
    /// No array where one must be.
    case notArray(field: String)
    /// No string where one must be.
    case notString(field: String)
    /// No number where one must be.
    case notNumber(field: String)
    /// No whole number where one must be.
    case notInteger(field: String)
    /// No date and time with an offset from UTC.
    case notTime(field: String)
    /// Neither a day nor a date and time with an offset from UTC, where either will do.
    case notDay(field: String)
    /// No UUID in its usual form.
    case notID(field: String)
    /// The same key twice.
    case repeated(field: String)
    /// Required, but absent or null.
    case missing(field: String)
    /// Nothing in it but white space.
    case empty(field: String)
    /// More scalars than allowed.
    case tooLong(field: String, max: Int)
    /// NaN or infinite.
    case notFinite(field: String)
    /// Below zero.
    case negative(field: String)
    /// Zero, or rounded to it, where there must be something.
    case notPositive(field: String)
    /// More than anybody eats.
    case tooLarge(field: String, max: Double)
    /// A whole number outside of its bounds.
    case outOfRange(field: String, min: Int, max: Int)
    /// Before anybody logged a meal.
    case tooEarly(field: String)
    /// Further ahead than clocks differ.
    case tooLate(field: String)
    /// The end of a span lies before its beginning; `field` is the beginning.
    case endBeforeStart(field: String)
    /// None of the values that the field may have.
    case unknownValue(field: String, allowed: [String])
    /// Fewer items than 1 or more than `max`.
    case itemCount(field: String, max: Int)
    /// More elements than `max`.
    case tooMany(field: String, max: Int)
    /// Has U+0000 or half of a surrogate pair in it, which no database text can hold.
    case notText(field: String)

    static func oneOf<Value: RawRepresentable<String> & CaseIterable>(
        _: Value.Type, _ text: String?, field: String
    ) throws(MealFault) -> Value {
        guard let text else { throw .missing(field: field) }
        guard let value = Value(rawValue: text) else {
            throw .unknownValue(field: field, allowed: Value.allCases.map(\.rawValue))
        }
        return value
    }
}
