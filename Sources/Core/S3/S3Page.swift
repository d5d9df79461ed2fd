/// A page of a list of a bucket.
public struct S3Page: Sendable {
    /// Sorted by key; may be empty although others follow.
    public let entries: [S3Entry]
    /// Seconds since 1970, by the server's clock.
    public let now: Int
    /// Whether this is not the last page.
    public let isTruncated: Bool
    /// Where the next page of unfinished uploads begins.
    let marker: (key: String, id: String)?
}
