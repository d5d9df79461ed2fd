/// A value of a reading: a key of the wire format, and where it is in its table.
public struct ReadingField: Sendable {
    /// What a value may be, and the type of its column.
    public enum Rule: Sendable {
        /// `float8` in a range; a subnormal one counts as 0.
        case number(ClosedRange<Double>)
        /// `float8`: 0, or of a magnitude in ``ReadingField/magnitudes``.
        case measure
        /// `float8`, and finite. A negative one means unknown and is stored as NULL.
        case amount
        /// `float8`, and finite.
        case finite
        /// A part of an `int8`, in so many bits, the first field in the highest: a number of at most
        /// `max`, in millionths. A negative one means unknown; then all bits are set. If all fields
        /// are unknown, the column is NULL.
        case share(bits: Int, max: Int)
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

    /// The key.
    public let name: String
    /// The column; see ``ReadingColumn``.
    public let column: String
    /// What a value may be.
    public let rule: Rule
    /// It may be absent or null.
    public let isOptional: Bool
    /// The column of the view in `analytics`.
    public let viewColumn: String

    /// - Parameters:
    ///   - column: of the view in `analytics`, if it is not that of the table.
    ///   - shared: the column of the table, if it has other fields too.
    init(
        _ name: String, _ rule: Rule, isOptional: Bool = false, column: String? = nil,
        shared: String? = nil
    ) {
        self.name = name
        self.column = shared ?? name
        self.rule = rule
        self.isOptional = isOptional
        viewColumn = column ?? name
    }

    /// Of a measurement other than 0: sums, squares and means of any number of them are doubles.
    public static let magnitudes = 1e-100...1e100

    /// Everything that can be wrong with it, in the order in which it is checked.
    public var faults: [Fault] {
        let ofValue: [Fault] =
            switch rule {
            case .number, .measure, .amount, .finite, .share, .integer: [.invalid, .outOfRange]
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
