/// How one log line is written.
public enum LogFormat: String, CaseIterable, Sendable {
    /// `key=value` pairs, quoted where they must be: for people and for `grep`.
    case logfmt
    /// One JSON object a line: for collectors.
    case json
}
