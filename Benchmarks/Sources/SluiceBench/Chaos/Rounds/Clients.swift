import Fleet
import Foundation
import Load
import Oracle
import Readings

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
    private var present: Key
    private var line: [UInt8]
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

    /// With which they send.
    struct Key {
        /// nil: it is in the configuration, not in the database.
        let name: String?
        let text: String
    }

    private static let retryNanosecondsMax: UInt64 = 1_000_000_000
    private static let retryLostNanoseconds: UInt64 = 100_000_000

    /// Clients with every bad habit, for the entrances of a rig.
    ///
    /// - Parameters:
    ///   - days: how long before today their first readings were taken.
    ///   - tickSeconds: the time between readings of a device.
    init(
        rig: Rig, options: ChaosOptions, seed: UInt64, days: Int64 = 1, tickSeconds: Int64 = 5
    ) {
        let today = Int64(Timestamp.now().day)
        var profile = FleetProfile.rough(
            start: Timestamp(microseconds: (today - days) * Timestamp.microsecondsPerDay))
        profile.seed = seed
        profile.devices = options.devices
        profile.tickSeconds = tickSeconds
        fleet = FleetModel(profile)
        let habits = Habits(
            malformedBatches: 10_000, resent: 50_000, overlapping: 50_000, doubled: 50_000,
            late: 50_000, backlogs: 5000, goesBackwards: true)
        itinerary = WorkloadPlan(
            devices: options.devices, batch: options.batch, readings: .max, habits: habits,
            seed: seed)
        fronts = rig.entrances.count
        present = Key(name: nil, text: rig.key)
        line = Self.line(present)
        handedOver = Array(repeating: [], count: fronts)
        books = Books(ledger: Ledger(fleet: fleet))
    }

    // MARK: For the round

    /// Ends new batches. A batch that is refused from now on is not sent again.
    func stop() {
        lock.withLock { isStopping = true }
    }

    var key: Key { lock.withLock { present } }

    /// Requests that are sent from now on have that key.
    func use(key: Key) {
        lock.withLock { (present, line) = (key, Self.line(key)) }
    }

    private static func line(_ key: Key) -> [UInt8] { Array("X-API-Key: \(key.text)\r\n".utf8) }

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

    /// Readings that were acknowledged and stored, or are in the spool.
    var storedReadings: Int {
        lock.withLock { books.ledger.totals.stored + books.ledger.spooled.records }
    }

    var batches: Int { lock.withLock { books.batches } }

    var unanswered: Int { lock.withLock { books.unanswered } }

    /// What was sent and answered; call it when the generators are done.
    func close() -> Books { lock.withLock { books } }

    // MARK: For the fronts

    /// The head line with the key.
    var keyLine: [UInt8] { lock.withLock { line } }

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
