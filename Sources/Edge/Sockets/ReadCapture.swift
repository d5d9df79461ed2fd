public import Ingestion

/// What the capture system makes of one frame.
public enum ReadCapture: Sendable {
    /// To be committed; the client is told `reply` to what becomes of it, and not before.
    case unit(WorkUnit, reply: @Sendable (CommitOutcome) -> String)
    /// Nothing to be stored: the client is told why.
    case refused(reply: String)
}
