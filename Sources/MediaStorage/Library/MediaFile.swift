/// A row of `sluice.media_file`: a path, and the content that is there now.
public struct MediaFile: Sendable, Equatable {
    /// The row's key.
    public let path: MediaPath
    /// What the store calls the content.
    public let object: ObjectName
    /// The content's length.
    public let bytes: Int
    /// What it is served as.
    public let contentType: String
    /// When the path was last given a content: microseconds since 2000-01-01 UTC.
    public let storedAt: Int64
    /// Whose it is; nil when it was uploaded without a user's token.
    public let owner: String?

    /// Strong, for it is the content's digest.
    public var etag: EntityTag { EntityTag(digest: object.digest) }
}
