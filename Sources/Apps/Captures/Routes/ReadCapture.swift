public import Ingest

/// What the capture system makes of one frame.
public enum ReadCapture: Sendable {
    /// A unit to commit; the client gets `reply` of the outcome, and nothing before.
    case unit(WorkUnit, reply: @Sendable (UnitOutcome) -> String)
    /// Nothing to store: the client gets the reason.
    case refused(reply: String)
}
