/// All faults of the configuration, found in one pass.
public struct ConfigurationProblems: Error, Equatable, Sendable {
    /// In the order in which they were found; never empty.
    public let problems: [ConfigurationProblem]
}
