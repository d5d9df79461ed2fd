/// A value of a reading: a key of the wire format, and the column of that name.
public struct ReadingField: Sendable {
    /// What a value may be, and the type of its column.
    public enum Rule: Sendable {
        /// `float8` in a range; a subnormal one counts as 0.
        case number(ClosedRange<Double>)
        /// `float8`: 0, or of a magnitude in ``ReadingField/magnitudes``.
        case measure
        /// `float8`, and finite. A negative one means unknown and is stored as NULL.
        case amount
        /// `int2`.
        case integer
        /// `text` of at most `bytesMax` bytes, without NUL.
        case text(bytesMax: @Sendable (ReadingLimits) -> Int, mayBeEmpty: Bool)
        /// `jsonb`, an object.
        case object
        /// `timestamptz`.
        case time
    }

    /// What can be wrong with a value, as the end of a reason's name.
    public enum Fault: String, Error {
        case missing, invalid
        case outOfRange = "out_of_range"
        case tooLong = "too_long"
        case containsNul = "contains_nul"
        case numberOutOfRange = "number_out_of_range"
    }

    /// Key and column.
    public let name: String
    /// What a value may be.
    public let rule: Rule
    /// It may be absent or null.
    public let isOptional: Bool
    /// The column of the view in `analytics`.
    public let viewColumn: String

    init(_ name: String, _ rule: Rule, isOptional: Bool = false, column: String? = nil) {
        self.name = name
        self.rule = rule
        self.isOptional = isOptional
        viewColumn = column ?? name
    }

    /// Of a measurement other than 0: sums, squares and means of any number of them are doubles.
    public static let magnitudes = 1e-100...1e100

    /// The column as SQL, where a key may be a reserved word.
    public var quotedName: String { "\"\(name)\"" }

    /// Everything that can be wrong with it, in the order in which it is checked.
    public var faults: [Fault] {
        let ofValue: [Fault] =
            switch rule {
            case .number, .measure, .amount, .integer: [.invalid, .outOfRange]
            case .text: [.invalid, .tooLong, .containsNul]
            case .object: [.invalid, .tooLong, .containsNul, .numberOutOfRange]
            case .time: [.invalid]
            }
        return (isOptional ? [] : [.missing]) + ofValue
    }

    /// The reason for which a reading with that fault is quarantined.
    public func reason(_ fault: Fault) -> QuarantineReason {
        guard let reason = QuarantineReason(rawValue: "\(name)_\(fault.rawValue)") else {
            preconditionFailure("BUG: no reason for \(name), \(fault)")
        }
        return reason
    }
}
