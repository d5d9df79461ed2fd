import Postgres

/// A row of `sluice.media_file`: a path and its current content.
public struct MediaFile: Sendable, Equatable {
    /// The row's key.
    public let path: MediaPath
    /// The name of the content in the store.
    public let object: ObjectName
    /// The content's length in bytes.
    public let bytes: Int
    /// The `Content-Type` that it is served with.
    public let contentType: String
    /// The user who owns it; nil when it was uploaded without a user's token.
    public let owner: String?

    /// A strong tag, because it is made of the content's digest.
    public var etag: EntityTag { EntityTag(digest: object.digest) }
}
