/// How the metrics of Apple's Health app are called here, and their units: one table for the export of
/// the Health app itself and for what apps post from it, so that a metric has one name whichever way it
/// came.
public enum HealthMetric {
    private struct Entry {
        /// Without `HKQuantityTypeIdentifier`.
        let type: String
        /// What Health Auto Export calls it.
        let app: String
        let name: String
        /// nil: it is told by its name.
        var code: Int?
    }

    /// Those that are not called alike everywhere. Of the others the name is the type's own, in the
    /// form of our names, and so Health Auto Export calls them.
    private static let entries = [
        Entry(type: "HeartRate", app: "heart_rate", name: "heart_rate", code: 1),
        Entry(
            type: "HeartRateVariabilitySDNN", app: "heart_rate_variability",
            name: "heart_rate_variability_sdnn", code: 2),
        Entry(
            type: "EnvironmentalAudioExposure", app: "environmental_audio_exposure", name: "noise",
            code: 10),
        Entry(type: "StepCount", app: "step_count", name: "steps", code: 20),
        Entry(
            type: "DistanceWalkingRunning", app: "walking_running_distance", name: "distance",
            code: 21),
        Entry(type: "ActiveEnergyBurned", app: "active_energy", name: "active_energy_burned"),
        Entry(type: "BodyMass", app: "weight_body_mass", name: "body_mass"),
        Entry(
            type: "DietaryEnergyConsumed", app: "dietary_energy", name: "dietary_energy_consumed"),
        Entry(type: "DistanceCycling", app: "cycling_distance", name: "distance_cycling"),
        Entry(type: "OxygenSaturation", app: "blood_oxygen_saturation", name: "oxygen_saturation"),
        Entry(
            type: "SixMinuteWalkTestDistance", app: "six_minute_walking_test_distance",
            name: "six_minute_walk_test_distance"),
        Entry(type: "StairAscentSpeed", app: "stair_speed_up", name: "stair_ascent_speed"),
        Entry(type: "StairDescentSpeed", app: "stair_speed_down", name: "stair_descent_speed"),
    ]

    private static func byKey<Value>(
        _ key: KeyPath<Entry, String>, _ value: (Entry) -> Value?
    ) -> [String: Value] {
        Dictionary(
            entries.compactMap { entry in value(entry).map { (entry[keyPath: key], $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static let byType = byKey(\.type) { $0.name }
    private static let byApp = byKey(\.app) { $0.name }
    private static let codes = byKey(\.name) { $0.code }

    /// The name of a quantity type.
    public static func name(of type: String) -> String {
        let own = type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
        return byType[own] ?? snakeCase(own)
    }

    private static let prefix = "HKQuantityTypeIdentifier"

    /// The name of what Health Auto Export calls so.
    public static func name(inApp name: String) -> String { byApp[name] ?? name }

    /// The code of a name; nil: it has none from the beginning.
    public static func code(of name: String) -> Int? { codes[name] }

    /// `VO2Max` becomes `vo2_max`.
    public static func snakeCase(_ text: String) -> String {
        let characters = Array(text)
        var name = ""
        for (place, character) in characters.enumerated() {
            if character.isUppercase, place > 0 {
                let isAfterLower = characters[place - 1].isLowercase
                let isBeforeLower =
                    place + 1 < characters.count && characters[place + 1].isLowercase
                if isAfterLower || isBeforeLower { name += "_" }
            }
            name += character.lowercased()
        }
        return name
    }
}

/// Units.
extension HealthMetric {
    /// How a unit measures its quantity: `(value - zero) * size` in the quantity's first unit.
    private struct Unit {
        let quantity: String
        let size: Double
        var zero = 0.0
    }

    private static let units: [String: Unit] = {
        let sizes: [String: [String: Double]] = [
            "mass": [
                "kg": 1, "g": 1e-3, "mg": 1e-6, "mcg": 1e-9, "lb": 0.453_592_37,
                "oz": 0.028_349_523_125, "st": 6.350_293_18,
            ],
            "length": [
                "m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mi": 1609.344, "yd": 0.9144,
                "ft": 0.3048, "in": 0.0254,
            ],
            "energy": ["kcal": 1, "Cal": 1, "cal": 1e-3, "kJ": 1 / 4.184, "J": 1 / 4184],
            "time": ["s": 1, "ms": 1e-3, "min": 60, "hr": 3600, "d": 86_400],
            "speed": [
                "km/h": 1, "km/hr": 1, "mph": 1.609_344, "mi/hr": 1.609_344, "m/s": 3.6,
                "ft/s": 1.097_28,
            ],
            "frequency": ["bpm": 1, "count/min": 1, "count/s": 60, "Hz": 60, "count/hr": 1 / 60],
            "volume": [
                "L": 1, "mL": 1e-3, "fl_oz_us": 0.029_573_529_562_5,
                "fl_oz_imp": 0.028_413_062_5, "cup_us": 0.236_588_236_5, "pt_us": 0.473_176_473,
                "pt_imp": 0.568_261_25,
            ],
            "pressure": [
                "Pa": 1, "hPa": 100, "kPa": 1000, "mmHg": 133.322_387_415, "cmAq": 98.0665,
                "inHg": 3386.389, "atm": 101_325,
            ],
            "sound": ["dBA": 1, "dBASPL": 1],
            // Of glucose alone; Health's unit has the mass of a mole in its name.
            "glucose": [
                "mg/dL": 1, "mmol<180.1558800000541>/L": 18.015_588_000_005_41,
                "mmol/L": 18.015_588_000_005_41,
            ],
        ]
        var units: [String: Unit] = [
            "degC": Unit(quantity: "temperature", size: 1),
            "degF": Unit(quantity: "temperature", size: 1 / 1.8, zero: 32),
            "K": Unit(quantity: "temperature", size: 1, zero: 273.15),
        ]
        for (quantity, sizes) in sizes {
            for (unit, size) in sizes { units[unit] = Unit(quantity: quantity, size: size) }
        }
        return units
    }()

    /// A value of Health in another unit; nil: the units are not known to be of one quantity.
    public static func converted(
        _ value: Double, from unit: String, to wanted: String
    ) -> Double? {
        // Health writes 0.97 for 97 %.
        if unit == "%", wanted == "%" { return value * 100 }
        if unit == wanted { return value }
        guard let from = units[unit], let to = units[wanted], from.quantity == to.quantity else {
            return nil
        }
        return (value - from.zero) * (from.size / to.size) + to.zero
    }

    /// The units that depend on a phone's settings, and the one that is stored, so that a metric's
    /// name says its unit, too.
    private static let stored = [
        "lb": "kg", "st": "kg", "mi": "km", "mph": "km/h", "mi/hr": "km/h", "kJ": "kcal",
        "degF": "degC", "in": "cm", "mmol/L": "mg/dL", "mmol<180.1558800000541>/L": "mg/dL",
    ]

    /// The value in kg, km, cm, km/h, kcal, °C or mg/dL; in any other unit it stays as it is.
    public static func stored(_ value: Double, in unit: String) -> Double {
        stored[unit].flatMap { converted(value, from: unit, to: $0) } ?? value
    }
}
