/// A field that breaks a rule; the whole request is rejected.
public struct FieldFault: Error, Equatable, Sendable {
    /// As the client named it.
    public let field: String
    /// Which rule it breaks.
    public let reason: Reason

    /// Which rule a field breaks.
    public enum Reason: Error, Equatable, Sendable {
        /// Required, and absent or blank.
        case missing
        /// More than this many bytes of UTF-8.
        case tooLong(bytesMax: Int)
        /// A list with an item of more than this many bytes of UTF-8.
        case itemTooLong(bytesMax: Int)
        /// Not UTF-8, or with U+0000.
        case notText
        /// Not a decimal number.
        case notNumber
        /// A number with a fraction.
        case notInteger
        /// A number outside the field's range.
        case outOfRange
        /// Not a date of ISO 8601.
        case notDate
        /// Not `true`, `false`, `1` or `0`.
        case notBoolean
        /// A list with more items than this.
        case tooManyItems(max: Int)
        /// A field with a single value appears twice.
        case repeated
        /// The request has more parts than this; `field` is empty.
        case tooManyParts(max: Int)
        /// The body of a change is not JSON; the byte of the fault.
        case notJSON(offset: Int)
        /// The body of a change is JSON of another kind.
        case notObject
        /// JSON of another kind than a string.
        case notString
        /// JSON of another kind than a string or an array of strings.
        case notStrings
        /// A change without any of these fields.
        case nothingToChange([String])
    }

    init(_ field: JournalField, _ reason: Reason) { self.init(named: field.rawValue, reason) }

    /// Names a field or a query parameter.
    public init(named field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }
}
