import Fleet
import Load
import Oracle

/// A fleet as the load generator sees it, with the ledger of what became of each batch.
final class FleetWorkload: Workload {
    private let fleet: FleetModel
    private var itinerary: Itinerary
    private var requests: [BatchWindow] = []
    private var free: [UInt64] = []
    /// Only the batches that were made beforehand are sent.
    private var isPrepared = false
    /// Their bodies, by ticket; empty when each is made as it is sent.
    private var preparedBodies: [[UInt8]] = []
    /// And how long they are.
    private var preparedBytes: [Int] = []
    /// Answers of 429 and 503 are sent again when they say so; not so in an overload run.
    private let retries: Bool
    private let retryNanosecondsMax: UInt64
    /// Kept only for a run that is checked: it costs a nanosecond a reading.
    private(set) var ledger: Ledger?

    private(set) var totals = AnswerCounts()
    private(set) var readingsSent = 0
    private(set) var unreadableAnswers = 0
    private(set) var refusalsWithoutRetryAfter = 0
    private(set) var expectedRefusals = 0
    private(set) var unexpectedStatuses: [Int: Int] = [:]

    /// Without an answer, a client tries again after this.
    private static let retryLostNanoseconds: UInt64 = 200_000_000

    init(
        fleet: FleetModel, itinerary: Itinerary, isChecked: Bool, retries: Bool = true,
        retryNanosecondsMax: UInt64 = 10_000_000_000
    ) {
        self.fleet = fleet
        self.itinerary = itinerary
        self.retries = retries
        self.retryNanosecondsMax = retryNanosecondsMax
        ledger = isChecked ? Ledger(fleet: fleet) : nil
    }

    /// Makes `count` batches now, for a storm whose sender must cost next to nothing. One that is
    /// refused is used again, one that is stored is not; when all are stored the run ends.
    ///
    /// - Parameter withBodies: keep their bodies; otherwise only how long they are, and a body is
    ///   made again when it is sent, which is right where nearly none is.
    func prepare(_ count: Int, withBodies: Bool) {
        guard count > 0 else { return }
        isPrepared = true
        var body = ByteWriter(capacity: 1 << 20)
        for _ in 0..<count {
            guard let window = itinerary.next() else { break }
            free.append(UInt64(requests.count))
            requests.append(window)
            body.removeAll()
            fleet.appendBody(of: window, to: &body)
            preparedBytes.append(body.count)
            if withBodies { preparedBodies.append(body.array()) }
        }
    }

    func next() -> UInt64? {
        if isPrepared { return takePrepared() }
        guard let window = itinerary.next() else { return nil }
        ledger?.sent(window)
        readingsSent += window.range.count
        if let ticket = free.popLast() {
            requests[Int(ticket)] = window
            return ticket
        }
        requests.append(window)
        return UInt64(requests.count - 1)
    }

    private func takePrepared() -> UInt64? {
        guard let ticket = free.popLast() else { return nil }
        ledger?.sent(requests[Int(ticket)])
        readingsSent += requests[Int(ticket)].range.count
        return ticket
    }

    func render(_ ticket: UInt64, into body: inout ByteWriter) {
        fleet.appendBody(of: requests[Int(ticket)], to: &body)
    }

    func preparedBody(_ ticket: UInt64) -> [UInt8]? {
        preparedBodies.isEmpty ? nil : preparedBodies[Int(ticket)]
    }

    func bodyBytes(_ ticket: UInt64) -> Int? {
        isPrepared ? preparedBytes[Int(ticket)] : nil
    }

    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        let window = requests[Int(ticket)]
        switch answer.status {
        case 200:
            if let counts = AnswerCounts(answer.body) {
                totals.add(counts)
            } else {
                unreadableAnswers += 1
            }
            ledger?.accepted(window, answer: answer.body)
            if isPrepared { return .done }
        case 202:
            ledger?.spooled(window, answer: answer.body)
            if isPrepared { return .done }
        case 400, 422:
            if window.fault?.status == answer.status {
                expectedRefusals += 1
            } else {
                unexpectedStatuses[answer.status, default: 0] += 1
            }
            ledger?.refused(window, status: answer.status)
        case 429, 503:
            // Refused at the door, or after it was taken: the ledger can't tell.
            if answer.status == 503 { ledger?.uncertain(window) }
            if answer.retryAfterSeconds == nil { refusalsWithoutRetryAfter += 1 }
            guard retries else { break }
            let seconds = UInt64(answer.retryAfterSeconds ?? 1)
            return .again(afterNanoseconds: min(seconds * 1_000_000_000, retryNanosecondsMax))
        default:
            unexpectedStatuses[answer.status, default: 0] += 1
            ledger?.uncertain(window)
        }
        free.append(ticket)
        return .done
    }

    func lost(_ ticket: UInt64) -> Verdict {
        ledger?.uncertain(requests[Int(ticket)])
        guard retries else {
            free.append(ticket)
            return .done
        }
        return .again(afterNanoseconds: Self.retryLostNanoseconds)
    }
}
