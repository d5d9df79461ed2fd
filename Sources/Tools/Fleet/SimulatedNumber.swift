import Readings

/// A number as it is written and as it is stored.
enum SimulatedNumber {
    /// `units` × 10^-`places`. Its text is made from integers. Both integers are exact doubles, so
    /// their quotient is the correctly rounded value of that text.
    case fixed(units: Int64, places: Int)
    /// Written as the shortest text that parses to the same bits, up to 17 digits.
    case exact(Double)

    var value: Double {
        switch self {
        case .fixed(let units, let places):
            Double(units) / [1, 10, 100, 1000, 10_000, 100_000][places]
        case .exact(let value): value
        }
    }
}
