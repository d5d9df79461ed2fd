public import Fleet
public import Load

/// Something wrong that the oracle has found.
public enum Objection: Sendable, Equatable {
    /// An acknowledged reading that is not stored.
    case lost(device: String, sequence: Int)
    /// Two rows of one reading.
    case storedTwice(table: String, device: String, sequence: Int)
    /// A row of one of the fleet's devices that was never sent.
    case invented(table: String, device: String, microseconds: Int64)
    /// An acknowledged malformed reading that is not in quarantine.
    case quarantineMissing(device: String, sequence: Int, reason: String)
    /// A malformed reading that is in quarantine twice.
    case quarantineTwice(device: String, sequence: Int)
    /// A malformed reading with another reason than it has.
    case quarantineWrongReason(device: String, sequence: Int, expected: String, found: String)
    /// Bytes in quarantine that nobody sent.
    case quarantineInvented(device: String, reason: String)
    /// A device that is not stored under its id.
    case deviceMissing(device: String)
    /// The number of rows differs from the sum of all answers, which say nothing about
    /// `uncertain` readings.
    case rowsDifferFromAnswers(rows: Int, answered: Int, uncertain: Int)

    /// A 2xx for a batch that is malformed as a whole.
    case faultyBatchAccepted(BatchWindow)
    /// Another status than that of the batch's fault.
    case statusWrong(BatchWindow, status: Int)
    /// A 2xx without counts.
    case answerUnreadable(BatchWindow)
    /// Counts that don't add up.
    case countsWrong(BatchWindow, AnswerCounts, malformed: Int)
    /// Other problems than the batch has.
    case problemsWrong(BatchWindow)

    /// The kind of objection, without device and reading.
    public var kind: String {
        switch self {
        case .lost: "acknowledged but not stored"
        case .storedTwice: "stored twice"
        case .invented: "stored but never sent"
        case .quarantineMissing: "malformed and acknowledged, but not in quarantine"
        case .quarantineTwice: "twice in quarantine"
        case .quarantineWrongReason: "in quarantine for the wrong reason"
        case .quarantineInvented: "in quarantine but never sent in this form"
        case .deviceMissing: "device id not stored"
        case .rowsDifferFromAnswers: "rows differ from the sum of the answers"
        case .faultyBatchAccepted: "faulty batch accepted"
        case .statusWrong: "refused with the wrong status"
        case .answerUnreadable: "answer without counts"
        case .countsWrong: "an answer's counts don't add up"
        case .problemsWrong: "an answer names the wrong problems"
        }
    }
}
