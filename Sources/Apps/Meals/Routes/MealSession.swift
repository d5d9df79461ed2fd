import HTTP
import Ingest
import Meals
import NIOCore
import NewsSockets
import Readings

/// One socket of meal logs: its user's news and its messages.
final class MealSession: SocketSession {
    private struct Offered {
        let meal: NewMeal
        let since: NIODeadline
    }

    // The socket owns its session.
    private unowned let socket: any OpenSocket
    private let application: MealSockets
    private let acknowledgeWithin: TimeAmount
    private let feed: NewsFeed
    private var offered: [UInt64: Offered] = [:]
    private var nextTag: UInt64 = 0

    /// For a meal without an outcome in time.
    private static let lateRetryAfter = Duration.seconds(10)

    init(_ socket: any OpenSocket, _ application: MealSockets) {
        self.socket = socket
        self.application = application
        acknowledgeWithin = TimeAmount(application.acknowledgeWithin)
        feed = NewsFeed(socket, topic: application.topic, application.news)
    }

    private var now: Timestamp { application.clock() }

    func begin() {
        socket.send(
            MealFrame.connected(user: socket.user, consultation: socket.route.subject, now: now))
        feed.begin()
    }

    func noticed(_ text: String) {
        feed.noticed(text)
    }

    func confirmed(_ number: UInt64) {
        feed.confirmed(number)
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
            answer(.unavailable(retryAfter: time), of: meal)
        }
    }

    private func answer(_ outcome: UnitOutcome, of meal: NewMeal) {
        let reply = meal.reply(to: outcome, estimatedSeconds: application.estimatedSeconds)
        guard let frame = MealFrame.reply(to: reply, now: now) else { return }
        socket.send(frame)
    }

    func settled(_ tag: UInt64, _ outcome: UnitOutcome) {
        // Otherwise the meal timed out and has been answered.
        guard let offered = offered.removeValue(forKey: tag) else { return }
        answer(outcome, of: offered.meal)
    }

    func tick(now: NIODeadline) {
        for (tag, meal) in offered where now - meal.since >= acknowledgeWithin {
            offered[tag] = nil
            answer(.unavailable(retryAfter: Self.lateRetryAfter), of: meal.meal)
        }
        feed.tick(now: now)
    }

    func closed() {
        feed.closed()
        offered = [:]
    }
}
