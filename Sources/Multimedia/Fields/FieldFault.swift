/// A field that can't be taken, and why; the whole request is refused for it.
public struct FieldFault: Error, Equatable, Sendable {
    /// As the client named it.
    public let field: String
    /// Which rule it breaks.
    public let reason: Reason

    /// Which rule a field breaks.
    public enum Reason: Error, Equatable, Sendable {
        /// Required, and absent or blank.
        case missing
        /// Longer than so many bytes of UTF-8.
        case tooLong(bytesMax: Int)
        /// A list with an item that is longer than so many bytes of UTF-8.
        case itemTooLong(bytesMax: Int)
        /// Not UTF-8, or with U+0000.
        case notText
        /// No decimal number.
        case notNumber
        /// A number with a fraction.
        case notInteger
        /// A number that the field can't have.
        case outOfRange
        /// Not a date of ISO 8601.
        case notDate
        /// Neither `true` nor `false`.
        case notBoolean
        /// A list with more items than this.
        case tooManyItems(max: Int)
        /// A field with one value that came twice.
        case repeated
        /// The request has more parts than this; `field` is empty.
        case tooManyParts(max: Int)
    }

    init(_ field: JournalField, _ reason: Reason) { self.init(named: field.rawValue, reason) }

    /// Of a field, or of a parameter of a query, by its name.
    public init(named field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }
}
