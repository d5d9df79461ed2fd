/// A row and its open content.
public struct StoredMedia: Sendable {
    /// The row.
    public let file: MediaFile
    /// The content, open for reading.
    public let source: any MediaSource
}
