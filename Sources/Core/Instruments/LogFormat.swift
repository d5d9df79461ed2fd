import Glibc
import Synchronization

/// The format of log lines.
public enum LogFormat: String, CaseIterable, Sendable {
    /// `key=value` pairs, quoted where necessary: for people and `grep`.
    case logfmt
    /// One JSON object per line: for log collectors.
    case json
}
