/// The forms of a body, as its content type declares them.
public enum BodyShape: Equatable, Sendable {
    /// One JSON text: an envelope with readings, or a bare array of them.
    case document
    /// NDJSON: one reading a line.
    case lines
}
