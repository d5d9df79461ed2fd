/// Units of Health Auto Export that depend on its user's settings, in one unit each, so that a
/// metric's name says its unit, too.
enum HealthUnit {
    /// The value in kg, km, km/h, kcal or °C; in any other unit it stays as it is.
    static func converted(_ value: Double, from unit: String) -> Double {
        switch unit {
        case "lb": value * 0.453_592_37
        case "st": value * 6.350_293_18
        case "mi": value * 1.609_344
        case "mph", "mi/hr": value * 1.609_344
        case "kJ": value / 4.184
        case "degF": (value - 32) / 1.8
        default: value
        }
    }

    /// Metres of a distance; nil: the unit is none of length.
    static func metres(in unit: String) -> Double? {
        switch unit {
        case "m": 1
        case "km": 1000
        case "mi": 1609.344
        case "ft": 0.3048
        case "yd": 0.9144
        default: nil
        }
    }
}
