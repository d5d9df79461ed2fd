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
    private static let factors: [String: [String: Double]] = [
        // Health writes 0.97 for 97 %.
        "%": ["%": 100],
        "count/min": ["bpm": 1], "dBASPL": ["dBA": 1], "Cal": ["kcal": 1],
        "km": ["m": 1000], "mi": ["m": 1609.344, "km": 1.609_344], "ft": ["m": 0.3048],
        "yd": ["m": 0.9144], "cm": ["m": 0.01], "in": ["cm": 2.54],
        "lb": ["kg": 0.453_592_37], "st": ["kg": 6.350_293_18],
        "mph": ["km/h": 1.609_344], "mi/hr": ["km/h": 1.609_344], "kJ": ["kcal": 1 / 4.184],
        "s": ["ms": 1000], "min": ["s": 60], "hr": ["min": 60, "s": 3600],
    ]

    /// What a value is multiplied by; nil: not known.
    public static func factor(from unit: String, to wanted: String) -> Double? {
        factors[unit]?[wanted] ?? (unit == wanted ? 1 : nil)
    }

    /// The units that depend on a phone's settings, and the one that is stored, so that a metric's
    /// name says its unit, too.
    private static let stored = [
        "lb": "kg", "st": "kg", "mi": "km", "mph": "km/h", "mi/hr": "km/h", "kJ": "kcal",
    ]

    /// The value in kg, km, km/h, kcal or °C; in any other unit it stays as it is.
    public static func stored(_ value: Double, in unit: String) -> Double {
        if unit == "degF" { return (value - 32) / 1.8 }
        return stored[unit].flatMap { factor(from: unit, to: $0) }.map { value * $0 } ?? value
    }
}
