import Synchronization

/// The formats of rows.
public enum RowFormat: String, CaseIterable, Sendable {
    /// RFC 4180 with a header; null is empty, an empty text is `""`.
    case csv
    /// One JSON object per line.
    case ndjson
}
