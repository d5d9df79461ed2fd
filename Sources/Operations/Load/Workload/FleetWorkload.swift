public import Fleet

/// Notes what becomes of each batch, for a check of the database afterwards.
public protocol BatchWitness {
    /// The batch has left, or is about to.
    mutating func sent(_ window: BatchWindow)
    /// A 200 came for it.
    mutating func accepted(_ window: BatchWindow, answer: UnsafeRawBufferPointer)
    /// A 202 came for it.
    mutating func spooled(_ window: BatchWindow, answer: UnsafeRawBufferPointer)
    /// The whole batch was refused as malformed.
    mutating func refused(_ window: BatchWindow, status: Int)
    /// Nobody knows whether it is stored.
    mutating func uncertain(_ window: BatchWindow)
}

/// A fleet as the load generator sees it.
public final class FleetWorkload: Workload {
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
    /// Only of a run that is checked: a ledger costs a nanosecond a reading.
    public private(set) var witness: (any BatchWitness)?

    /// Sums of the 200s.
    public private(set) var totals = AnswerCounts()
    /// Readings of the 202s.
    public private(set) var spooledReadings = 0
    /// Readings of all batches that were sent, each counted once.
    public private(set) var readingsSent = 0
    /// 200s and 202s without the counts that belong there.
    public private(set) var unreadableAnswers = 0
    /// 429s and 503s that do not say when to come again.
    public private(set) var refusalsWithoutRetryAfter = 0
    /// 400s and 422s of batches that were malformed on purpose.
    public private(set) var expectedRefusals = 0

    /// Readings that a 200 or a 202 acknowledged.
    public var acknowledgedReadings: Int { totals.records + spooledReadings }

    /// Without an answer, a client tries again after this.
    private static let retryLostNanoseconds: UInt64 = 200_000_000

    /// - Parameters:
    ///   - fleet: who speaks.
    ///   - itinerary: which readings go into which request.
    ///   - witness: what is told of every batch.
    ///   - retries: whether what is refused for now, or lost, is sent again.
    ///   - retryNanosecondsMax: nothing waits longer, whatever `Retry-After` says.
    public init(
        fleet: FleetModel, itinerary: Itinerary, witness: (any BatchWitness)? = nil,
        retries: Bool = true, retryNanosecondsMax: UInt64 = 10_000_000_000
    ) {
        self.fleet = fleet
        self.itinerary = itinerary
        self.retries = retries
        self.retryNanosecondsMax = retryNanosecondsMax
        self.witness = witness
    }

    /// Makes `count` batches now, for a storm whose sender must cost next to nothing. One that is
    /// refused is used again, one that is stored is not; when all are stored the run ends.
    ///
    /// - Parameter withBodies: keep their bodies; otherwise only how long they are, and a body is
    ///   made again when it is sent, which is right where nearly none is.
    public func prepare(_ count: Int, withBodies: Bool) {
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

    /// The next batch; its number is used again when it is done.
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

    private func takePrepared() -> UInt64? {
        guard let ticket = free.popLast() else { return nil }
        witness?.sent(requests[Int(ticket)])
        readingsSent += requests[Int(ticket)].range.count
        return ticket
    }

    /// Appends the batch as JSON.
    public func render(_ ticket: UInt64, into body: inout ByteWriter) {
        fleet.appendBody(of: requests[Int(ticket)], to: &body)
    }

    /// What ``prepare(_:withBodies:)`` made.
    public func preparedBody(_ ticket: UInt64) -> [UInt8]? {
        preparedBodies.isEmpty ? nil : preparedBodies[Int(ticket)]
    }

    /// Known of what ``prepare(_:withBodies:)`` made.
    public func bodyBytes(_ ticket: UInt64) -> Int? {
        isPrepared ? preparedBytes[Int(ticket)] : nil
    }

    /// Counts, and asks for another try where that may help.
    public func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        let window = requests[Int(ticket)]
        switch answer.status {
        case 200:
            if let counts = AnswerCounts(answer.body) {
                totals.add(counts)
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
            // Refused at the door, or after it was taken: the ledger can't tell.
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

    /// Asks for another try.
    public func lost(_ ticket: UInt64) -> Verdict {
        witness?.uncertain(requests[Int(ticket)])
        guard retries else {
            free.append(ticket)
            return .done
        }
        return .again(afterNanoseconds: Self.retryLostNanoseconds)
    }
}
