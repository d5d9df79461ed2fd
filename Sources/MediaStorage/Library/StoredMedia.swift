/// A served file, open: what its row says and its bytes.
public struct StoredMedia: Sendable {
    /// The row.
    public let file: MediaFile
    /// The content.
    public let source: any MediaSource
}
