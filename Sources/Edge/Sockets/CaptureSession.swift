import DequeModule
public import Ingestion
import NIOCore

/// One socket of memory captures. Answers go out in the order of their frames.
final class CaptureSession: SocketSession {
    /// The answer to one frame, from when the frame came.
    private enum Answer {
        /// The lanes have the capture.
        case due(since: NIODeadline, reply: @Sendable (CommitOutcome) -> String)
        case decided(String)
    }

    // The socket holds its session.
    private unowned let socket: any OpenSocket
    private let read: CaptureSockets.Reading
    private let acknowledgeWithin: TimeAmount
    private let feed: NewsFeed
    /// Answers that have not gone out: the first one is not decided.
    private var answers: Deque<Answer> = []
    /// The tag of the first of them.
    private var firstTag: UInt64 = 0

    /// Answers that wait for one before them; beyond, what can be said is said at once.
    private static let answersMax = 256
    /// For a capture whose fate is not known in time.
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

    func settled(_ tag: UInt64, _ outcome: CommitOutcome) {
        // Else it was given up and has been answered.
        guard tag >= firstTag, case .due(_, let reply) = answers[Int(tag - firstTag)] else {
            return
        }
        answers[Int(tag - firstTag)] = .decided(reply(outcome))
        sendDecided()
    }

    func noticed(_ text: String) {
        feed.noticed(text)
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

/// What the capture system makes of one frame.
public enum ReadCapture: Sendable {
    /// To be committed; the client is told `reply` to what becomes of it, and not before.
    case unit(WorkUnit, reply: @Sendable (CommitOutcome) -> String)
    /// Nothing to be stored: the client is told why.
    case refused(reply: String)
}
