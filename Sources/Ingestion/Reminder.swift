/// Lets the same message through once a minute, and counts the others.
struct Reminder {
    static let interval: Duration = .seconds(60)
    /// Messages told apart; beyond that all are forgotten.
    private static let subjectsMax = 64

    private var told: [String: (at: ContinuousClock.Instant, suppressed: Int)] = [:]

    /// - Returns: how many times it came since it was last let through, this time included; nil when
    ///   it is not to be repeated yet.
    mutating func isDue(_ subject: String, now: ContinuousClock.Instant) -> Int? {
        if let last = told[subject], now - last.at < Self.interval {
            told[subject]?.suppressed += 1
            return nil
        }
        let suppressed = told[subject]?.suppressed ?? 0
        if told.count >= Self.subjectsMax { told.removeAll() }
        told[subject] = (now, 0)
        return suppressed + 1
    }
}
