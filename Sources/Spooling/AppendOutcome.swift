/// What became of a record.
public enum AppendOutcome: Sendable, Equatable {
    /// Taken, and durable once the next ``Spool/sync()`` came back.
    case appended(RecordID)
    /// There is no room for it; nothing of it was kept. There will be once records are released.
    case full
}
