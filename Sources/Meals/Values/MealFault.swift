/// Why a request's meal is refused, with the field that is wrong (`items[2].protein_g`).
public enum MealFault: Error, Equatable {
    /// Required, but absent or null.
    case missing(field: String)
    /// Nothing in it but white space.
    case empty(field: String)
    /// More scalars than allowed.
    case tooLong(field: String, max: Int)
    /// NaN or infinite.
    case notFinite(field: String)
    /// Below zero, or zero where there must be something.
    case tooSmall(field: String)
    /// More than anybody eats.
    case tooLarge(field: String, max: Double)
    /// None of the values that the field may have.
    case unknownValue(field: String, allowed: [String])
    /// Fewer items than 1 or more than `max`.
    case itemCount(field: String, max: Int)
    /// Has U+0000 in it, which no database text can hold.
    case notText(field: String)

    /// Which field is wrong.
    public var field: String {
        switch self {
        case .missing(let field), .empty(let field), .tooLong(let field, _),
            .notFinite(let field), .tooSmall(let field), .tooLarge(let field, _),
            .unknownValue(let field, _), .itemCount(let field, _), .notText(let field):
            field
        }
    }

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
