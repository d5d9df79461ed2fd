/// What a ``Check`` concludes: a finding without the check's area and name.
struct Verdict: Sendable {
    let severity: Severity
    let found: String
    let reason: String?
    let fix: [String]
    /// Of one of several findings; nil: the check's.
    private(set) var name: String?

    /// No fault.
    static func ok(_ found: String) -> Verdict {
        Verdict(severity: .ok, found: found, reason: nil, fix: [])
    }

    static func notice(_ found: String, why: String, fix: String...) -> Verdict {
        Verdict(severity: .notice, found: found, reason: why, fix: fix)
    }

    static func warning(_ found: String, why: String, fix: String...) -> Verdict {
        Verdict(severity: .warning, found: found, reason: why, fix: fix)
    }

    static func problem(_ found: String, why: String, fix: String...) -> Verdict {
        Verdict(severity: .problem, found: found, reason: why, fix: fix)
    }

    /// A fault whose severity depends.
    static func fault(
        _ severity: Severity, _ found: String, why: String, fix: String...
    ) -> Verdict {
        Verdict(severity: severity, found: found, reason: why, fix: fix)
    }

    /// The same under a name of its own.
    func named(_ name: String) -> Verdict {
        var verdict = self
        verdict.name = name
        return verdict
    }
}
