/// Rates of counters.
enum Rate {
    /// Never negative; 0 if no time has passed.
    static func of(_ now: Double, _ earlier: Double, _ seconds: Double) -> Double {
        seconds > 0 ? max(0, now - earlier) / seconds : 0
    }
}
