/// A notation for times that the API accepts.
enum TimeForm: Int, CaseIterable {
    case seconds, milliseconds, microseconds, nanoseconds
    case eastward, westwardCompact, naive, spaced, lowercase

    init(bits: UInt64) {
        self = Self.allCases[Int((bits >> 48) % UInt64(Self.allCases.count))]
    }

    /// The time, rounded down to the precision of this form.
    func rounded(_ microseconds: Int64) -> Int64 {
        let step: Int64 =
            switch self {
            case .microseconds, .nanoseconds, .spaced: 1
            case .milliseconds, .eastward: 1000
            case .seconds, .westwardCompact, .naive, .lowercase: 1_000_000
            }
        let remainder = microseconds % step
        return microseconds - (remainder < 0 ? remainder + step : remainder)
    }

    /// The UTC offset of this form, in minutes.
    var offsetMinutes: Int64 {
        switch self {
        case .eastward: 120
        case .westwardCompact: -330
        default: 0
        }
    }
}
