import DequeModule
import NIOCore
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
/// in a page is not sent again. A news item is delivered once the kernel has taken its frame for
/// one socket.
///
/// Belongs to its session and, like it, to one event loop.
final class NewsFeed {
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
    private var isClosed = false

    /// Notices held back while it catches up; with one more the socket is closed, and its client
    /// has to connect again.
    private static let waitingMax = 256

    init(_ socket: any OpenSocket, topic: String, _ pending: any PendingNews) {
        self.socket = socket
        self.topic = topic
        self.pending = pending
    }

    /// Starts the feed. To be called once, after the session's own first message.
    func begin() {
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
        let (last, next) = (page.news.last, page.next)
        for news in page.news.dropLast() { deliver(news) }
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
    private func deliver(_ news: News, written: @escaping () -> Void = {}) -> Bool {
        guard let id = news.id else {
            socket.send(news.frame)
            return true
        }
        guard sent.insert(id) else { return false }
        let pending = pending
        socket.send(news.frame) {
            pending.delivered(id)
            written()
        }
        return true
    }

    private func sendWaiting() {
        while let news = waiting.popFirst() { deliver(news) }
    }

    /// A notice for this user and topic.
    func noticed(_ text: String) {
        guard let news = News(noticePayload: text) else { return }
        guard news.subject == nil || news.subject == socket.route.subject else { return }
        guard case .catchingUp = phase else {
            deliver(news)
            return
        }
        guard waiting.count < Self.waitingMax else {
            return socket.close(.tryAgainLater, reason: "too much at once, connect again")
        }
        waiting.append(news)
    }

    func tick(now: NIODeadline) {
        if case .behind(let since) = phase, now - since >= TimeAmount(pending.pause) { catchUp() }
    }

    func closed() {
        isClosed = true
        waiting = []
    }
}

/// The last ids that were inserted, up to a limit, to detect recent duplicates.
struct RecentIDs {
    private var order: Deque<Int64> = []
    private var known: Set<Int64> = []
    private let countMax: Int

    /// Nothing is allocated before the first id.
    init(countMax: Int = 1024) {
        precondition(countMax > 0, "BUG: countMax=\(countMax)")
        self.countMax = countMax
    }

    /// - Returns: false if the id is known.
    mutating func insert(_ id: Int64) -> Bool {
        guard known.insert(id).inserted else { return false }
        order.append(id)
        if order.count > countMax, let oldest = order.popFirst() { known.remove(oldest) }
        return true
    }
}
