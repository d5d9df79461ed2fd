public import Logging
import SpoolLog

/// swift-log's levels, as a type that lists them.
public enum LogLevel: String, CaseIterable, Sendable {
    // From most to least verbose.
    case trace, debug, info, notice, warning, error, critical

    /// The level in swift-log.
    public var level: Logger.Level {
        switch self {
        case .trace: .trace
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
