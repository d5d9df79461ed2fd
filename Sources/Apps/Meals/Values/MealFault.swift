/// Why a request about meals is rejected, with the field at fault (`items[2].protein_g`).
public enum MealFault: Error, Equatable, Sendable {
    /// Not JSON; `offset` is in bytes.
    case notJSON(offset: Int)
    /// JSON, but not an object where one is required.
    case notObject(field: String)
    /// Not an array.
    case notArray(field: String)
    /// Not a string.
    case notString(field: String)
    /// Not a number.
    case notNumber(field: String)
    /// Not a whole number.
    case notInteger(field: String)
    /// Not a date and time with an offset from UTC.
    case notTime(field: String)
    /// Neither a date nor a date and time with an offset from UTC, where both are allowed.
    case notDay(field: String)
    /// Not a UUID as 8-4-4-4-12 hexadecimal digits.
    case notID(field: String)
    /// The key occurs twice.
    case repeated(field: String)
    /// Required, but absent or null.
    case missing(field: String)
    /// Empty or only white space.
    case empty(field: String)
    /// More than `max` Unicode scalars.
    case tooLong(field: String, max: Int)
    /// NaN or infinite.
    case notFinite(field: String)
    /// Below zero.
    case negative(field: String)
    /// Zero, or rounded to zero, where more than zero is required.
    case notPositive(field: String)
    /// More than `max`.
    case tooLarge(field: String, max: Double)
    /// A whole number out of range.
    case outOfRange(field: String, min: Int, max: Int)
    /// A time before 2000-01-01 UTC.
    case tooEarly(field: String)
    /// A time more than 24 hours in the future.
    case tooLate(field: String)
    /// The end of a time span is before its start; `field` is the start.
    case endBeforeStart(field: String)
    /// Not one of the allowed values.
    case unknownValue(field: String, allowed: [String])
    /// No items, or more than `max`.
    case itemCount(field: String, max: Int)
    /// An array with more than `max` elements.
    case tooMany(field: String, max: Int)
    /// Has U+0000 or half of a surrogate pair, which PostgreSQL's `text` can't hold.
    case notText(field: String)
    /// Has a control character where none is allowed.
    case controlCharacter(field: String)

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

extension MealFault {
    /// The field at fault; `body` if the body is not JSON.
    public var field: String {
        switch self {
        case .notJSON: "body"
        case .notObject(let field), .notArray(let field), .notString(let field),
            .notNumber(let field), .notInteger(let field), .notTime(let field), .notDay(let field),
            .notID(let field), .repeated(let field), .missing(let field), .empty(let field),
            .tooLong(let field, _), .notFinite(let field), .negative(let field),
            .notPositive(let field), .tooLarge(let field, _), .outOfRange(let field, _, _),
            .tooEarly(let field), .tooLate(let field), .endBeforeStart(let field),
            .unknownValue(let field, _), .itemCount(let field, _), .tooMany(let field, _),
            .notText(let field), .controlCharacter(let field):
            field
        }
    }

    /// The error code for programs.
    public var code: String {
        switch self {
        case .notJSON: "INVALID_JSON"
        default: "VALIDATION_ERROR"
        }
    }

    /// The error message for people; begins with the field.
    public var message: String {
        "\(field) \(rule)"
    }

    private var rule: String {
        switch self {
        case .notJSON(let offset): "is no JSON: fault at byte \(offset)"
        case .notObject: "must be an object"
        case .notArray: "must be an array"
        case .notString: "must be a string"
        case .notNumber: "must be a number"
        case .notInteger: "must be a whole number"
        case .notTime: "must be an ISO 8601 date and time with its offset from UTC"
        case .notDay:
            "must be a day as YYYY-MM-DD or an ISO 8601 date and time with its offset from UTC"
        case .notID: "must be a UUID"
        case .repeated: "stands twice"
        case .missing: "is required"
        case .empty: "must not be blank"
        case .tooLong(_, let max): "is longer than \(max) characters"
        case .notFinite: "must be a finite number"
        case .negative: "must not be negative"
        case .notPositive: "must be more than 0"
        case .tooLarge(_, let max): "is larger than \(Int(max))"
        case .outOfRange(_, let min, let max): "must be from \(min) to \(max)"
        case .tooEarly: "lies too far in the past"
        case .tooLate: "lies in the future"
        case .endBeforeStart: "lies behind the end"
        case .unknownValue(_, let allowed): "must be one of \(allowed.joined(separator: ", "))"
        case .itemCount(_, let max): "must have 1 to \(max) elements"
        case .tooMany(_, let max): "has more than \(max) elements"
        case .notText: "must not contain U+0000 or half of a surrogate pair"
        case .controlCharacter: "must not contain control characters"
        }
    }
}
