internal import Glibc

/// The result of an append.
public enum AppendOutcome: Sendable, Equatable {
    /// Durable once the next ``Spool/sync()`` has returned.
    case appended(RecordID)
    /// There is no room until records are released; nothing was kept.
    case full
}
