/// A fixed label that distinguishes the series of a family.
public struct MetricLabel: Hashable, Sendable {
    /// Letters, digits and underscores, not starting with a digit.
    public let name: String
    /// Any text; it is escaped when it is written.
    public let value: String

    /// - Parameters:
    ///   - name: must be a valid label name; anything else is a bug.
    /// - value: one of a few values, because each is a time series for ever.
    public init(_ name: String, _ value: String) {
        precondition(MetricName.isLabel(name), "BUG: label name \(name)")
        self.name = name
        self.value = value
    }
}
