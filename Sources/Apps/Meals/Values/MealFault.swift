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

extension MealFault {
    /// Which field is wrong; `body` for a text that is no JSON.
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
            .notText(let field):
            field
        }
    }

    /// For programs.
    public var code: String {
        switch self {
        case .notJSON: "INVALID_JSON"
        default: "VALIDATION_ERROR"
        }
    }

    /// For people; begins with the field.
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
        }
    }
}
