/// The seriousness of a finding.
public enum Severity: String, CaseIterable, Comparable, Codable, Sendable {
    // In ascending order.
    case ok, notice, warning, problem

    /// By position in the list of cases.
    public static func < (left: Self, right: Self) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}
