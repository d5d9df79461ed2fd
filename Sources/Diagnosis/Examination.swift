/// From facts to findings.
public enum Examination {
    /// All findings, in the order of their areas.
    public static func findings(_ facts: Facts) -> [Finding] {
        var findings = reach(facts)
        if case .reached(let database) = facts.database {
            findings += access(database, facts)
            findings += safety(database, facts)
            findings += speed(database, facts)
            findings += tables(database)
            findings += work(database.work)
        }
        findings += retention(facts)
        findings += machine(facts)
        findings += facts.disks.flatMap { disk($0, facts) }
        findings += certificate(facts)
        findings += spool(facts)
        findings += keys(facts)
        let places = Dictionary(
            uniqueKeysWithValues: Finding.Area.allCases.enumerated().map { ($1, $0) })
        // Stable: within an area as above.
        return findings.enumerated().sorted {
            (places[$0.element.area] ?? 0, $0.offset) < (places[$1.element.area] ?? 0, $1.offset)
        }.map(\.element)
    }

    /// `sluice doctor`'s exit code: 0 for nothing beyond notices, 1 for warnings, 2 for problems.
    public static func exitCode(_ findings: [Finding]) -> Int32 {
        switch findings.map(\.severity).max() ?? .ok {
        case .ok, .notice: 0
        case .warning: 1
        case .problem: 2
        }
    }
}
