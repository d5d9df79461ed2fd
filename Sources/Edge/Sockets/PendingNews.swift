public import NIOCore
public import Notices

/// Where sockets get the news that none of their user's has had, and say which ones they have sent.
public protocol PendingNews: Sendable {
    /// After which news that could not be read are read again.
    var pause: Duration { get }

    /// Oldest first, a page at a time.
    ///
    /// - Parameter id: of the last one of the page before; 0 for the first page.
    /// - Returns: a page, and whether another may follow; on that loop.
    func page(
        of user: String, topic: String, after id: Int64, on eventLoop: any EventLoop
    ) -> EventLoopFuture<NewsPage>

    /// A socket has it. Never blocks.
    func delivered(_ id: Int64)
}

/// Some of the news that nobody has had.
public struct NewsPage: Sendable {
    var news: [News]
    /// The last id that was looked at; nil: there are no more.
    var next: Int64?
}
