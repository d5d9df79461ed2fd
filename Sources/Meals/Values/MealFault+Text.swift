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
