public import Auth
import Hummingbird
import NIOCore
public import Postgres
public import Status

/// The services of the status page.
public struct StatusServices: Sendable {
    let feed: any StatusFeed
    let access: AccessPolicy
    let database: Database

    /// - Parameters:
    ///   - feed: the reports for all watchers.
    ///   - access: decides who may watch: keys with ``KeyScope/status``.
    ///   - database: holds the last positions.
    public init(feed: any StatusFeed, access: AccessPolicy, database: Database) {
        self.feed = feed
        self.access = access
        self.database = database
    }
}
