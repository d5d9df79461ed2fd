public import Access
public import Postgres
public import Status

/// What the page at `/status` works with.
public struct StatusServices: Sendable {
    let feed: any StatusFeed
    let access: AccessPolicy
    let database: Database

    /// - Parameters:
    ///   - feed: the reports that all who watch see.
    ///   - access: decides who may; keys with ``KeyScope/status``.
    ///   - database: where the last positions are.
    public init(feed: any StatusFeed, access: AccessPolicy, database: Database) {
        self.feed = feed
        self.access = access
        self.database = database
    }
}
