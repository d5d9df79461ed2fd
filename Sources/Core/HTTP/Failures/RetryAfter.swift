/// The value of `Retry-After`.
enum RetryAfter {
    /// Whole seconds, rounded up after adding a random part of up to half, so that clients that
    /// were rejected together do not return together.
    static func seconds(_ time: Duration) -> String {
        let exact = time / .seconds(1)
        return "\(max(1, Int((exact * Double.random(in: 1..<1.5)).rounded(.up))))"
    }
}
