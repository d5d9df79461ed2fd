/// A row of `pg_settings`.
public struct ServerSetting: Sendable, Equatable {
    /// In the unit of the setting.
    public var value: String
    /// `8kB`, `s`, `ms`, …; empty for plain numbers and words.
    public var unit: String
    /// A change takes effect after a restart only.
    public var needsRestart: Bool

    /// Values as in `pg_settings`.
    public init(_ value: String, unit: String = "", needsRestart: Bool = false) {
        self.value = value
        self.unit = unit
        self.needsRestart = needsRestart
    }

    /// The value in bytes or seconds if it has a unit; nil for words.
    var number: Int? {
        guard let number = Double(value) else { return nil }
        let factor: Double =
            switch unit {
            case "B": 1
            case "kB": 1024
            case "8kB": 8192
            case "16kB": 16_384
            case "MB": 1_048_576
            case "ms": 0.001
            case "min": 60
            default: 1
            }
        return Int(number * factor)
    }
}
