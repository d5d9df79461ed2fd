/// An object, or an unfinished upload, in a list of a bucket.
public struct S3Entry: Sendable, Equatable {
    /// With the bucket's prefix.
    public let key: String
    /// The id of an unfinished upload; empty: an object.
    public let upload: String
    /// When the object was written or the upload begun, as the server says it (ISO 8601).
    public let date: String
}
