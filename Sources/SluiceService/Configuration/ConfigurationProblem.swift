/// One thing that is wrong with the configuration: where, and what would be right.
///
/// Carries the value that was found only where it can't be a secret.
public struct ConfigurationProblem: Equatable, Sendable {
    /// The setting's key, or the file's path and line.
    public let key: String
    /// What the value must be; begins in lower case, no full stop.
    public let rule: String
    /// What was found instead; nil for secrets and where there is nothing to show.
    public let found: String?

    init(key: String, rule: String, found: String? = nil) {
        self.key = key
        self.rule = rule
        self.found = found
    }
}

/// All that is wrong with the configuration, found in one pass.
public struct ConfigurationProblems: Error, Equatable, Sendable {
    /// In the order of the settings; never empty.
    public let problems: [ConfigurationProblem]
}
