import DequeModule
public import HTTP
public import NIOCore
import Notices

/// The news of one socket: first those that are pending for its user, then new ones.
///
/// ```
///  begin ─▶ catching up ── a page, written, the next … ── the last ─▶ live
///               │  ▲                                                   │
///               ▼  └────────── after a pause ───────── behind ◀────────┘ only before it is caught up
///        the database is unreachable: live meanwhile
/// ```
/// Notices that arrive while it catches up are held back, to keep the order of news; one that was
/// in a page is not sent again.
///
/// A news item is delivered once a pong answers a ping behind its frame (``SocketPings``). Until
/// then it stays pending, so if this socket ends first, the next one gets it again. One of the
/// user's sockets is enough: news is for the user, who may have the dead socket of a lost phone
/// beside the one in use.
///
/// Belongs to its session and, like it, to one event loop.
public final class NewsFeed {
    private enum Phase {
        case catchingUp
        case live
        /// The database was unreachable.
        case behind(since: NIODeadline)
    }

    // The socket owns its session, which owns this feed.
    private unowned let socket: any OpenSocket
    private let topic: String
    private let pending: any PendingNews
    private var phase = Phase.catchingUp
    /// The last pending news item that was read.
    private var lastID: Int64 = 0
    private var waiting: Deque<News> = []
    private var sent = RecentIDs()
    /// News that its client has not confirmed, with the numbers of their confirmations.
    private var unconfirmed: Deque<(id: Int64, number: UInt64)> = []
    private var isClosed = false

    /// Notices held back while it catches up; with one more the socket is closed, and its client
    /// has to connect again.
    private static let waitingMax = 256
    /// Unconfirmed news; what is sent beyond it stays pending, and the next socket gets it again.
    private static let unconfirmedMax = 1024

    /// - Parameters:
    ///   - socket: owns the session that owns this feed.
    ///   - topic: of the news.
    ///   - pending: the news that wait for the socket's user.
    public init(_ socket: any OpenSocket, topic: String, _ pending: any PendingNews) {
        self.socket = socket
        self.topic = topic
        self.pending = pending
    }

    /// Starts the feed. To be called once, after the session's own first message.
    public func begin() {
        catchUp()
    }

    private func catchUp() {
        phase = .catchingUp
        // The pending query keeps the socket alive, and with it this feed.
        let socket = socket
        pending.page(of: socket.user, topic: topic, after: lastID, on: socket.eventLoop)
            .assumeIsolated().whenComplete { [self] result in
                guard !isClosed else { return }
                switch result {
                case .success(let page): take(page)
                case .failure:
                    phase = .behind(since: socket.eventLoop.now)
                    sendWaiting()
                }
                socket.flush()
            }
    }

    private func take(_ page: NewsPage) {
        let (mine, next) = (page.news.filter(isForSocket), page.next)
        let last = mine.last
        for news in mine.dropLast() { deliver(news) }
        guard let next else {
            if let last { deliver(last) }
            phase = .live
            return sendWaiting()
        }
        lastID = next
        // A slow client gets the next page once it has taken this one.
        guard let last, deliver(last, written: { [self] in if !isClosed { catchUp() } }) else {
            return catchUp()
        }
    }

    /// - Returns: false if it had been sent before.
    @discardableResult
    private func deliver(_ news: News, written: (() -> Void)? = nil) -> Bool {
        guard sent.insert(news.id) else { return false }
        socket.send(news.frame, written: written)
        if unconfirmed.count < Self.unconfirmedMax {
            unconfirmed.append((news.id, socket.wantConfirmation()))
        }
        return true
    }

    /// See ``SocketSession/confirmed(_:)``.
    public func confirmed(_ number: UInt64) {
        while let first = unconfirmed.first, first.number <= number {
            unconfirmed.removeFirst()
            pending.delivered(first.id)
        }
    }

    private func sendWaiting() {
        while let news = waiting.popFirst() { deliver(news) }
    }

    /// A notice for this user and topic.
    public func noticed(_ text: String) {
        guard let news = News(noticePayload: text), isForSocket(news) else { return }
        guard case .catchingUp = phase else {
            deliver(news)
            return
        }
        guard waiting.count < Self.waitingMax else {
            return socket.close(.tryAgainLater, reason: "too much at once, connect again")
        }
        waiting.append(news)
    }

    private func isForSocket(_ news: News) -> Bool {
        news.subject == nil || news.subject == socket.route.subject
    }

    /// See ``SocketSession/tick(now:)``.
    public func tick(now: NIODeadline) {
        if case .behind(let since) = phase, now - since >= TimeAmount(pending.pause) { catchUp() }
    }

    /// See ``SocketSession/closed()``.
    public func closed() {
        isClosed = true
        waiting = []
        unconfirmed = []
    }
}
