/// How bad a finding is.
public enum Severity: String, CaseIterable, Comparable, Codable, Sendable {
    // In this order.
    case ok, notice, warning, problem

    /// By their place in the list.
    public static func < (left: Self, right: Self) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}
