/// The unit in which an app writes speeds.
enum SpeedUnit {
    case metresPerSecond, kilometresPerHour, knots

    /// To the millimetre a second where it is converted.
    func converted(_ speed: Double) -> Double {
        switch self {
        case .metresPerSecond: speed
        case .kilometresPerHour: Self.rounded(speed / 3.6)
        case .knots: Self.rounded(speed * 1852 / 3600)
        }
    }

    private static func rounded(_ speed: Double) -> Double { (speed * 1000).rounded() / 1000 }
}
