public import NIOCore

/// Where sockets get a user's undelivered news and report the delivered ones.
public protocol PendingNews: Sendable {
    /// Time until news are read again after a failure.
    var pause: Duration { get }

    /// Reads undelivered news, oldest first, one page at a time.
    ///
    /// - Parameter id: the last id of the previous page; 0 for the first page.
    /// - Returns: a page, and whether another may follow; on that loop.
    func page(
        of user: String, topic: String, after id: Int64, on eventLoop: any EventLoop
    ) -> EventLoopFuture<NewsPage>

    /// A client has it. Never blocks.
    func delivered(_ id: Int64)
}
