import DequeModule
import HTTP
import Ingest
import NIOCore
import NewsSockets

/// One socket of memory captures. Answers are sent in the order of their frames.
final class CaptureSession: SocketSession {
    /// The answer to one frame, from the frame's arrival on.
    private enum Answer {
        /// The lanes have the capture.
        case due(since: NIODeadline, reply: @Sendable (UnitOutcome) -> String)
        case decided(String)
    }

    // The socket owns its session.
    private unowned let socket: any OpenSocket
    private let read: CaptureSockets.Reading
    private let acknowledgeWithin: TimeAmount
    private let feed: NewsFeed
    /// Answers that are not sent yet; the first one is not decided.
    private var answers: Deque<Answer> = []
    /// The tag of the first of these.
    private var firstTag: UInt64 = 0

    /// Limit of answers that wait for an earlier one; beyond it, decided answers are sent at once.
    private static let answersMax = 256
    /// For a capture without an outcome in time.
    private static let lateRetryAfter = Duration.seconds(10)

    init(_ socket: any OpenSocket, _ application: CaptureSockets) {
        self.socket = socket
        read = application.read
        acknowledgeWithin = TimeAmount(application.acknowledgeWithin)
        feed = NewsFeed(socket, topic: application.topic, application.news)
    }

    func begin() {
        feed.begin()
    }

    func received(_ text: ByteBuffer) {
        switch read(Array(text.readableBytesView), socket.user) {
        case .refused(let reply):
            say(reply)
        case .unit(let unit, let reply):
            switch socket.offer(unit, tag: firstTag + UInt64(answers.count)) {
            case .taken:
                answers.append(.due(since: socket.eventLoop.now, reply: reply))
            case .full(let time), .shareUsedUp(let time), .unavailable(let time):
                say(reply(.unavailable(retryAfter: time)))
            }
        }
    }

    private func say(_ text: String) {
        guard answers.count < Self.answersMax else { return socket.send(text) }
        answers.append(.decided(text))
        sendDecided()
    }

    private func sendDecided() {
        while case .decided(let text) = answers.first {
            answers.removeFirst()
            firstTag += 1
            socket.send(text)
        }
    }

    func settled(_ tag: UInt64, _ outcome: UnitOutcome) {
        // Otherwise the capture timed out and has been answered.
        guard tag >= firstTag, case .due(_, let reply) = answers[Int(tag - firstTag)] else {
            return
        }
        answers[Int(tag - firstTag)] = .decided(reply(outcome))
        sendDecided()
    }

    func noticed(_ text: String) {
        feed.noticed(text)
    }

    func confirmed(_ number: UInt64) {
        feed.confirmed(number)
    }

    func tick(now: NIODeadline) {
        for place in answers.indices {
            guard case .due(let since, let reply) = answers[place], now - since >= acknowledgeWithin
            else { continue }
            answers[place] = .decided(reply(.unavailable(retryAfter: Self.lateRetryAfter)))
        }
        sendDecided()
        feed.tick(now: now)
    }

    func closed() {
        feed.closed()
        answers = []
    }
}
