import DequeModule
import Ingestion
import Meals
import NIOCore
import Readings

/// One socket of meal logs: what waits for its user first, then what comes.
///
/// ```
///  begin ─▶ catching up ── a page, written, the next … ── the last ─▶ live
///               │  ▲                                                   │
///               ▼  └────────── after a pause ───────── behind ◀────────┘ only before it is caught up
///        the database is away: live meanwhile
/// ```
/// Notices that come while it catches up wait, so that results keep their order; one that was in a
/// page is not sent again.
final class MealSession: SocketSession {
    private enum Phase {
        case catchingUp
        case live
        /// The database was away.
        case behind(since: NIODeadline)
    }

    private struct Offered {
        let meal: NewMeal
        let since: NIODeadline
    }

    // The socket holds its session.
    private unowned let socket: any OpenSocket
    private let application: MealSockets
    private let acknowledgeWithin: TimeAmount
    private var phase = Phase.catchingUp
    /// The last one that was read of what waited.
    private var lastID: Int64 = 0
    private var waiting: Deque<MealResult> = []
    private var sent = RecentIDs()
    private var offered: [UInt64: Offered] = [:]
    private var nextTag: UInt64 = 0
    private var isClosed = false

    /// Notices that wait while it catches up; with one more the socket is closed, for its client to
    /// come again.
    private static let waitingMax = 256
    /// For a meal whose fate is not known in time.
    private static let lateRetryAfter = Duration.seconds(10)

    init(_ socket: any OpenSocket, _ application: MealSockets) {
        self.socket = socket
        self.application = application
        acknowledgeWithin = TimeAmount(application.acknowledgeWithin)
    }

    private var now: Timestamp { application.clock() }

    func begin() {
        socket.send(
            MealFrame.connected(user: socket.user, consultation: socket.route.subject, now: now))
        catchUp()
    }

    // MARK: Results

    private func catchUp() {
        phase = .catchingUp
        let (socket, results) = (socket, application.results)
        let (user, lastID) = (socket.user, lastID)
        // The socket is kept for as long as the answer is to come, and with it this session.
        socket.eventLoop.makeFutureWithTask {
            try await results.page(of: user, after: lastID)
        }.assumeIsolated().whenComplete { [self] result in
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

    private func take(_ page: MealResultPage) {
        let (last, next) = (page.results.last, page.next)
        for result in page.results.dropLast() { deliver(result) }
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
    private func deliver(_ result: MealResult, written: @escaping () -> Void = {}) -> Bool {
        guard let id = result.id else {
            socket.send(result.frame)
            return true
        }
        guard sent.insert(id) else { return false }
        let results = application.results
        socket.send(result.frame) {
            results.delivered(id)
            written()
        }
        return true
    }

    private func sendWaiting() {
        while let result = waiting.popFirst() { deliver(result) }
    }

    func noticed(_ text: String) {
        guard let result = MealResult(noticePayload: text) else { return }
        guard result.consultation == nil || result.consultation == socket.route.subject else {
            return
        }
        guard case .catchingUp = phase else {
            deliver(result)
            return
        }
        guard waiting.count < Self.waitingMax else {
            return socket.close(.tryAgainLater, reason: "too much at once, connect again")
        }
        waiting.append(result)
    }

    // MARK: Messages

    func received(_ text: ByteBuffer) {
        let now = now
        let frame = text.withUnsafeReadableBytes { MealFrame.decode($0, now: now) }
        switch frame {
        case .success(.ping): socket.send(MealFrame.pong(now: now))
        case .success(.message(let message)): offer(message, now)
        case .failure(let fault): socket.send(MealFrame.error(fault, now: now))
        }
    }

    private func offer(_ message: MealMessage, _ now: Timestamp) {
        guard let consultation = socket.route.subject else {
            return socket.send(
                MealFrame.error(
                    "messages are for the sockets of consultations", code: "UNSUPPORTED_MESSAGE",
                    now: now))
        }
        let meal = NewMeal(message, consultation: consultation, user: socket.user, now: now)
        nextTag += 1
        switch socket.offer(meal.unit, tag: nextTag) {
        case .taken:
            offered[nextTag] = Offered(meal: meal, since: socket.eventLoop.now)
        case .full(let time), .shareUsedUp(let time), .unavailable(let time):
            tell(.unavailable(retryAfter: time), of: meal)
        }
    }

    private func tell(_ outcome: CommitOutcome, of meal: NewMeal) {
        let reply = meal.reply(to: outcome, estimatedSeconds: application.estimatedSeconds)
        guard let frame = MealFrame.reply(to: reply, now: now) else { return }
        socket.send(frame)
    }

    func settled(_ tag: UInt64, _ outcome: CommitOutcome) {
        // Else it was given up and has been answered.
        guard let offered = offered.removeValue(forKey: tag) else { return }
        tell(outcome, of: offered.meal)
    }

    func tick(now: NIODeadline) {
        for (tag, meal) in offered where now - meal.since >= acknowledgeWithin {
            offered[tag] = nil
            tell(.unavailable(retryAfter: Self.lateRetryAfter), of: meal.meal)
        }
        if case .behind(let since) = phase, now - since >= TimeAmount(application.pause) {
            catchUp()
        }
    }

    func closed() {
        isClosed = true
        waiting = []
        offered = [:]
    }
}
