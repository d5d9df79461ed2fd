/// The value of `Retry-After`.
enum RetryAfter {
    /// Whole seconds, rounded up, and up to half more by chance, so that those who were turned away
    /// together do not come back together.
    static func seconds(_ time: Duration) -> String {
        let exact = time / .seconds(1)
        return "\(max(1, Int((exact * Double.random(in: 1...1.5)).rounded(.up))))"
    }
}
