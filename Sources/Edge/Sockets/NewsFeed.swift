import DequeModule
import NIOCore
import Notices

/// The news of one socket: first those that wait for its user, then those that come.
///
/// ```
///  begin ─▶ catching up ── a page, written, the next … ── the last ─▶ live
///               │  ▲                                                   │
///               ▼  └────────── after a pause ───────── behind ◀────────┘ only before it is caught up
///        the database is away: live meanwhile
/// ```
/// Notices that come while it catches up wait, so that news keep their order; one that was in a page
/// is not sent again. News are had once the kernel has taken their frame for one socket.
///
/// Belongs to its session, and like it to one event loop.
final class NewsFeed {
    private enum Phase {
        case catchingUp
        case live
        /// The database was away.
        case behind(since: NIODeadline)
    }

    // The socket holds its session, which holds this.
    private unowned let socket: any OpenSocket
    private let topic: String
    private let pending: any PendingNews
    private var phase = Phase.catchingUp
    /// The last one that was read of what waited.
    private var lastID: Int64 = 0
    private var waiting: Deque<News> = []
    private var sent = RecentIDs()
    private var isClosed = false

    /// Notices that wait while it catches up; with one more the socket is closed, for its client to
    /// come again.
    private static let waitingMax = 256

    init(_ socket: any OpenSocket, topic: String, _ pending: any PendingNews) {
        self.socket = socket
        self.topic = topic
        self.pending = pending
    }

    /// To be called once, when the session has said what it says first.
    func begin() {
        catchUp()
    }

    private func catchUp() {
        phase = .catchingUp
        // The socket is kept for as long as the answer is to come, and with it this feed.
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
        // A client that reads slowly gets the next page when it has this one.
        guard let last, deliver(last, written: { [self] in if !isClosed { catchUp() } }) else {
            return catchUp()
        }
    }

    /// - Returns: whether it was sent: it had not been before.
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

    /// A notice has come for this user and topic.
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

/// The ids that were seen last, and no more than so many: for telling what comes twice within reason.
struct RecentIDs {
    private var order: Deque<Int64> = []
    private var known: Set<Int64> = []
    private let countMax: Int

    /// Nothing is allocated before the first one.
    init(countMax: Int = 1024) {
        precondition(countMax > 0, "BUG: countMax=\(countMax)")
        self.countMax = countMax
    }

    /// - Returns: false when it is known.
    mutating func insert(_ id: Int64) -> Bool {
        guard known.insert(id).inserted else { return false }
        order.append(id)
        if order.count > countMax, let oldest = order.popFirst() { known.remove(oldest) }
        return true
    }
}
