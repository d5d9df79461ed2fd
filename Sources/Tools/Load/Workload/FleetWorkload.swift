internal import DequeModule
public import Fleet

/// The workload of a fleet.
public final class FleetWorkload: Workload {
    private let fleet: FleetModel
    private let format: BodyFormat
    private var itinerary: WorkloadPlan
    private var requests: [BatchWindow] = []
    private var free: Deque<UInt64> = []
    /// Whether only batches of ``prepare(_:withBodies:)`` are sent.
    private var isPrepared = false
    /// Prepared bodies by ticket; empty if each is rendered when it is sent.
    private var preparedBodies: [[UInt8]] = []
    /// Sizes of the prepared bodies, by ticket.
    private var preparedBytes: [Int] = []
    /// Whether lost batches and those with a 429 or 503 are sent again; not in an overload run.
    private let retries: Bool
    private let retryNanosecondsMax: UInt64
    /// Only for a run that is checked: a ledger costs a nanosecond per reading.
    public private(set) var witness: (any BatchObserver)?

    /// Sums of the counts in 200s.
    public private(set) var totals = AnswerCounts()
    /// Readings of the 202s.
    public private(set) var spooledReadings = 0
    /// Readings of all sent batches. Retries don't count; prepared batches count each time.
    public private(set) var readingsSent = 0
    /// Readings of 2xx answers of a format whose answers have no counts.
    public private(set) var uncountedReadings = 0
    /// 200s and 202s whose counts can't be read.
    public private(set) var unreadableAnswers = 0
    /// 429s and 503s without `Retry-After`.
    public private(set) var refusalsWithoutRetryAfter = 0
    /// Why a reading was quarantined, as the first such answer says.
    private var quarantineReason: String?
    /// 400s and 422s for batches that were malformed on purpose.
    public private(set) var expectedRefusals = 0

    /// Readings that a 200 or a 202 acknowledged.
    public var acknowledgedReadings: Int { tally.acknowledgedReadings }

    /// What the answers said.
    public var tally: Tally {
        var tally = Tally()
        tally.expectedRefusals = expectedRefusals
        tally.unreadableAnswers = unreadableAnswers
        tally.readingsSent = readingsSent
        tally.totals = totals
        tally.spooledReadings = spooledReadings
        tally.uncountedReadings = uncountedReadings
        tally.quarantineReason = quarantineReason
        return tally
    }

    /// The pause before a request without an answer is sent again.
    private static let retryLostNanoseconds: UInt64 = 200_000_000

    /// - Parameters:
    ///   - fleet: the devices.
    ///   - itinerary: decides which readings go into which request.
    ///   - format: the form of the bodies.
    ///   - witness: is told of every batch.
    ///   - retries: whether batches with a 429 or 503, and lost ones, are sent again.
    ///   - retryNanosecondsMax: the longest pause, whatever `Retry-After` says.
    public init(
        fleet: FleetModel, itinerary: WorkloadPlan, format: BodyFormat = .ingest,
        witness: (any BatchObserver)? = nil,
        retries: Bool = true, retryNanosecondsMax: UInt64 = 10_000_000_000
    ) {
        self.fleet = fleet
        self.itinerary = itinerary
        self.format = format
        self.retries = retries
        self.retryNanosecondsMax = retryNanosecondsMax
        self.witness = witness
    }

    /// Prepares `count` batches for a storm, in which sending must cost almost nothing. Batches
    /// that are rejected are sent again, stored ones are not; the run ends when all are stored.
    ///
    /// - Parameter withBodies: keeps the bodies. Otherwise only their sizes are kept, and a body is
    ///   rendered again when it is sent, which is right if few are.
    public func prepare(_ count: Int, withBodies: Bool) {
        guard count > 0 else { return }
        isPrepared = true
        var body = ByteWriter(capacity: 1 << 20)
        for _ in 0..<count {
            guard let window = itinerary.next() else { break }
            free.append(UInt64(requests.count))
            requests.append(window)
            body.removeAll()
            fleet.appendBody(of: window, as: format, to: &body)
            preparedBytes.append(body.count)
            if withBodies { preparedBodies.append(body.array()) }
        }
    }

    /// The next batch; its ticket is reused when it is done.
    public func next() -> UInt64? {
        if isPrepared { return takePrepared() }
        guard let window = itinerary.next() else { return nil }
        witness?.sent(window)
        readingsSent += window.range.count
        if let ticket = free.popLast() {
            requests[Int(ticket)] = window
            return ticket
        }
        requests.append(window)
        return UInt64(requests.count - 1)
    }

    /// The one that has waited longest. If a rejected batch went first, nearly all of a storm would
    /// go to the lane that happens to be full.
    private func takePrepared() -> UInt64? {
        guard let ticket = free.popFirst() else { return nil }
        witness?.sent(requests[Int(ticket)])
        readingsSent += requests[Int(ticket)].range.count
        return ticket
    }

    /// Appends the batch as JSON.
    public func render(_ ticket: UInt64, into body: inout ByteWriter) {
        fleet.appendBody(of: requests[Int(ticket)], as: format, to: &body)
    }

    /// The body from ``prepare(_:withBodies:)``.
    public func preparedBody(_ ticket: UInt64) -> [UInt8]? {
        preparedBodies.isEmpty ? nil : preparedBodies[Int(ticket)]
    }

    /// The size from ``prepare(_:withBodies:)``.
    public func bodyBytes(_ ticket: UInt64) -> Int? {
        isPrepared ? preparedBytes[Int(ticket)] : nil
    }

    /// Counts the answer, and asks for a retry if that may help.
    public func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        let window = requests[Int(ticket)]
        switch answer.status {
        case 200..<300 where !format.hasCounts:
            uncountedReadings += window.range.count
            witness?.accepted(window)
        case 200:
            if let counts = AnswerCounts(answer.body) {
                totals.add(counts)
                if counts.quarantined > 0, quarantineReason == nil {
                    quarantineReason = AnswerCounts.reason(in: answer.body)
                }
            } else {
                unreadableAnswers += 1
            }
            witness?.accepted(window, answer: answer.body)
            if isPrepared { return .done }
        case 202:
            if let counts = AnswerCounts(spooled: answer.body) {
                spooledReadings += counts.records
            } else {
                unreadableAnswers += 1
            }
            witness?.spooled(window, answer: answer.body)
            if isPrepared { return .done }
        case 400, 422:
            if window.fault?.status == answer.status {
                expectedRefusals += 1
            }
            witness?.refused(window, status: answer.status)
        case 429, 503:
            // A 503 may come before or after the batch was accepted: the ledger can't tell.
            if answer.status == 503 { witness?.uncertain(window) }
            if answer.retryAfterSeconds == nil { refusalsWithoutRetryAfter += 1 }
            guard retries else { break }
            let seconds = UInt64(answer.retryAfterSeconds ?? 1)
            return .again(afterNanoseconds: min(seconds * 1_000_000_000, retryNanosecondsMax))
        default:
            witness?.uncertain(window)
        }
        free.append(ticket)
        return .done
    }

    /// Asks for a retry, if retries are on.
    public func lost(_ ticket: UInt64) -> Verdict {
        witness?.uncertain(requests[Int(ticket)])
        guard retries else {
            free.append(ticket)
            return .done
        }
        return .again(afterNanoseconds: Self.retryLostNanoseconds)
    }
}
