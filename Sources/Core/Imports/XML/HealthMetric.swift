/// How the metrics of Apple's Health app are called here, and their units.
enum HealthMetric {
    private static let names = [
        "StepCount": "steps", "DistanceWalkingRunning": "distance",
        "EnvironmentalAudioExposure": "noise",
    ]

    /// The name of a quantity type; of most it is the type's own in the form of our names.
    static func name(of type: String) -> String {
        let own = type.replacing("HKQuantityTypeIdentifier", with: "")
        return names[own] ?? snakeCase(own)
    }

    /// `VO2Max` becomes `vo2_max`.
    static func snakeCase(_ text: String) -> String {
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

    private static let factors: [String: [String: Double]] = [
        // Health writes 0.97 for 97 %.
        "%": ["%": 100],
        "count/min": ["bpm": 1], "dBASPL": ["dBA": 1], "Cal": ["kcal": 1],
        "km": ["m": 1000], "mi": ["m": 1609.344], "ft": ["m": 0.3048], "cm": ["m": 0.01],
        "in": ["cm": 2.54], "lb": ["kg": 0.45359237], "kJ": ["kcal": 1 / 4.184],
        "s": ["ms": 1000], "min": ["s": 60], "hr": ["min": 60, "s": 3600],
    ]

    /// What a value is multiplied by; nil: not known.
    static func factor(from unit: String, to wanted: String) -> Double? {
        factors[unit]?[wanted] ?? (unit == wanted ? 1 : nil)
    }
}
