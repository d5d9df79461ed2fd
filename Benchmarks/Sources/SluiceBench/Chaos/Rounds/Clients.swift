import Fleet
import Foundation
import Load
import Oracle

/// The client side of a round: the batches, who sends them, and the answers.
///
/// Each Sluice has a generator on a thread of its own, with its own ``Front``. A batch whose
/// request is lost is sent again, through the next front if there is another, as a balancer
/// would.
final class Clients: @unchecked Sendable {
    // Guard of `@unchecked`: everything mutable is touched under `lock`.

    private struct Request {
        var window: BatchWindow
        var sentAt: UInt64 = 0
    }

    let fleet: FleetModel
    private let fronts: Int
    private let lock = NSLock()
    private var itinerary: WorkloadPlan
    private var requests: [Request] = []
    private var free: [UInt64] = []
    /// For each front, the batches that another front lost and that it sends again.
    private var handedOver: [[UInt64]]
    private var isStopping = false
    private var books: Books
    private var watchedFrom: UInt64?
    private var acceptedAt: UInt64?

    /// What was sent and answered.
    struct Books {
        var ledger: Ledger
        var batches = 0
        var statuses: [Int: Int] = [:]
        /// Requests whose connection broke or whose answer did not come in time.
        var unanswered = 0
        var unexpected: [Int: Int] = [:]
    }

    private static let retryNanosecondsMax: UInt64 = 1_000_000_000
    private static let retryLostNanoseconds: UInt64 = 100_000_000

    init(fleet: FleetModel, itinerary: WorkloadPlan, fronts: Int) {
        self.fleet = fleet
        self.itinerary = itinerary
        self.fronts = fronts
        handedOver = Array(repeating: [], count: fronts)
        books = Books(ledger: Ledger(fleet: fleet))
    }

    // MARK: For the round

    /// Ends new batches. A batch that is refused from now on is not sent again.
    func stop() {
        lock.withLock { isStopping = true }
    }

    /// Begins to watch for the first acceptance of a batch that is sent from now on.
    ///
    /// - Returns: the present time.
    func watch() -> UInt64 {
        lock.withLock {
            let now = monotonicNanoseconds()
            (watchedFrom, acceptedAt) = (now, nil)
            return now
        }
    }

    /// When the first 200 arrived for a batch that was sent after ``watch()``.
    var firstAcceptance: UInt64? { lock.withLock { acceptedAt } }

    var unanswered: Int { lock.withLock { books.unanswered } }

    /// What was sent and answered; call it when the generators are done.
    func close() -> Books { lock.withLock { books } }

    // MARK: For the fronts

    func next(_ front: Int) -> UInt64? {
        lock.withLock {
            if let ticket = handedOver[front].popLast() { return ticket }
            guard !isStopping, let window = itinerary.next() else { return nil }
            books.ledger.sent(window)
            books.batches += 1
            if let ticket = free.popLast() {
                requests[Int(ticket)] = Request(window: window)
                return ticket
            }
            requests.append(Request(window: window))
            return UInt64(requests.count - 1)
        }
    }

    /// The batch is sent now.
    func leaves(_ ticket: UInt64) -> BatchWindow {
        lock.withLock {
            requests[Int(ticket)].sentAt = monotonicNanoseconds()
            return requests[Int(ticket)].window
        }
    }

    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        lock.lock()
        defer { lock.unlock() }
        let request = requests[Int(ticket)]
        books.statuses[answer.status, default: 0] += 1
        switch answer.status {
        case 200:
            books.ledger.accepted(request.window, answer: answer.body)
            if let from = watchedFrom, acceptedAt == nil, request.sentAt >= from {
                acceptedAt = monotonicNanoseconds()
            }
        case 202:
            books.ledger.spooled(request.window, answer: answer.body)
        case 400, 422:
            if request.window.fault?.status != answer.status {
                books.unexpected[answer.status, default: 0] += 1
            }
            books.ledger.refused(request.window, status: answer.status)
        case 429, 503:
            // A 503 does not tell whether the batch was refused at once or after the server took
            // it.
            if answer.status == 503 { books.ledger.uncertain(request.window) }
            if answer.retryAfterSeconds == nil { books.unexpected[answer.status, default: 0] += 1 }
            guard !isStopping else { break }
            let seconds = UInt64(answer.retryAfterSeconds ?? 1)
            return .again(
                afterNanoseconds: min(seconds * 1_000_000_000, Self.retryNanosecondsMax))
        default:
            books.unexpected[answer.status, default: 0] += 1
            books.ledger.uncertain(request.window)
        }
        free.append(ticket)
        return .done
    }

    func lost(_ ticket: UInt64, by front: Int) -> Verdict {
        lock.withLock {
            books.unanswered += 1
            books.ledger.uncertain(requests[Int(ticket)].window)
            guard !isStopping else {
                free.append(ticket)
                return .done
            }
            guard fronts > 1 else { return .again(afterNanoseconds: Self.retryLostNanoseconds) }
            handedOver[(front + 1) % fronts].append(ticket)
            return .done
        }
    }
}
