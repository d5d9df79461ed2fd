/// What all checks find.
public enum Examination {
    /// All findings, ordered by area.
    public static func findings(_ facts: Facts) -> [Finding] {
        let findings = Check.all.flatMap { $0.findings(facts) }
        return Finding.Area.allCases.flatMap { area in findings.filter { $0.area == area } }
    }

    /// `sluice doctor`'s exit code: 0 if there are at most notices, 1 for warnings, 2 for problems.
    public static func exitCode(_ findings: [Finding]) -> Int32 {
        switch findings.map(\.severity).max() ?? .ok {
        case .ok, .notice: 0
        case .warning: 1
        case .problem: 2
        }
    }
}
