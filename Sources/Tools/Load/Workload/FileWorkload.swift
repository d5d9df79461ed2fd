public import Fleet

/// Sends one body again and again, as it is.
public final class FileWorkload: Workload {
    private let body: [UInt8]
    private let retries: Bool
    private var free: [UInt64] = []
    private var ticketCount: UInt64 = 0
    private var requestsLeft: Int

    /// What the answers said. Readings are known only from answers with counts.
    public private(set) var tally = Tally()

    private static let retryNanosecondsMax: UInt64 = 10_000_000_000
    private static let retryLostNanoseconds: UInt64 = 200_000_000

    /// - Parameters:
    ///   - body: of every request.
    ///   - requests: how many, not counting repetitions after a failure.
    ///   - retries: whether requests with a 429 or 503, and lost ones, are sent again.
    public init(body: [UInt8], requests: Int = .max, retries: Bool = true) {
        self.body = body
        self.retries = retries
        requestsLeft = requests
    }

    /// The same body once more; nil after the last.
    public func next() -> UInt64? {
        guard requestsLeft > 0 else { return nil }
        requestsLeft -= 1
        if let ticket = free.popLast() { return ticket }
        ticketCount += 1
        return ticketCount - 1
    }

    /// Appends the body.
    public func render(_ ticket: UInt64, into body: inout ByteWriter) {
        body.put(bytes: self.body)
    }

    /// The body.
    public func preparedBody(_ ticket: UInt64) -> [UInt8]? { body }

    /// Its size.
    public func bodyBytes(_ ticket: UInt64) -> Int? { body.count }

    /// Adds the counts of an answer that has some, and asks for a retry if that may help.
    public func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        switch answer.status {
        case 200:
            if let counts = AnswerCounts(answer.body) {
                tally.totals.add(counts)
                if counts.quarantined > 0, tally.quarantineReason == nil {
                    tally.quarantineReason = AnswerCounts.reason(in: answer.body)
                }
            }
        case 202:
            if let counts = AnswerCounts(spooled: answer.body) {
                tally.spooledReadings += counts.records
            }
        case 429, 503:
            guard retries else { break }
            let seconds = UInt64(answer.retryAfterSeconds ?? 1)
            return .again(
                afterNanoseconds: min(seconds * 1_000_000_000, Self.retryNanosecondsMax))
        default: break
        }
        tally.readingsSent = tally.acknowledgedReadings
        free.append(ticket)
        return .done
    }

    /// Asks for a retry, if retries are on.
    public func lost(_ ticket: UInt64) -> Verdict {
        guard retries else {
            free.append(ticket)
            return .done
        }
        return .again(afterNanoseconds: Self.retryLostNanoseconds)
    }
}
