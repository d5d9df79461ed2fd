/// One fault of the configuration: its place and the rule that it breaks.
///
/// Carries the value that was found unless it may be a secret.
public struct ConfigurationProblem: Equatable, Sendable {
    /// The setting's key, or the file's path and line.
    public let key: String
    /// What the value must be; begins in lower case, no full stop.
    public let rule: String
    /// What was found instead; nil for secrets and if there is nothing to show.
    public let found: String?

    /// - Parameters:
    ///   - key: of the setting, or the file's path and line.
    ///   - rule: what the value must be.
    ///   - found: what was found instead; nil for secrets.
    public init(key: String, rule: String, found: String? = nil) {
        self.key = key
        self.rule = rule
        self.found = found
    }

    /// In one line.
    var line: String { "\(key): \(rule)\(found.map { " (it is \"\($0)\")" } ?? "")" }
}
