/// The charge of a battery in per cent; nil: unknown.
enum Percentage {
    /// 0 to 1; −1 is unknown. To a hundredth of a per cent.
    static func ofFraction(_ fraction: Double) -> Double? {
        fraction < 0 ? nil : (fraction * 10_000).rounded() / 100
    }

    /// 0 to 100; −1 is unknown.
    static func ofPercent(_ percent: Double) -> Double? { percent < 0 ? nil : percent }
}
