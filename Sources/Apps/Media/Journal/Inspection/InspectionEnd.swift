import Synchronization

/// How a process without a valid answer ended.
public enum InspectionEnd: Equatable, Sendable {
    /// It was killed at its deadline.
    case late
    /// It was killed because its output was too long.
    case loud
    /// By this signal, from a limit (SIGXCPU, SIGALRM, SIGKILL) or a crash.
    case signalled(Int32)
    /// With this status, and without a valid answer.
    case exited(Int32)
}
