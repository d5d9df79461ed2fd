public import Fleet
public import Load
import Readings

/// Records what was sent and what was answered, in one byte of memory per reading.
public struct Ledger: BatchObserver {
    struct Marks: OptionSet {
        let rawValue: UInt8
        static let sent = Marks(rawValue: 1)
        static let acknowledged = Marks(rawValue: 2)
        static let found = Marks(rawValue: 4)
    }

    /// Whose readings these are.
    public let fleet: FleetModel
    /// By device, then by sequence number.
    var marks: [[UInt8]]
    /// Sums of the counts in all 200s.
    public private(set) var totals = AnswerCounts()
    /// Sums of the counts in all 202s. These readings are acknowledged too, and are stored once
    /// the spool is empty. The answers don't say how many of them were already stored.
    public private(set) var spooled = AnswerCounts()
    /// Readings of 2xx answers that don't say what became of them.
    public private(set) var uncountedReadings = 0
    /// Readings of requests whose fate is unknown. At most this many are stored in addition to
    /// those in the answers.
    public private(set) var uncertainReadings = 0
    /// What was wrong with answers.
    public private(set) var objections = Objections()

    /// Of a fleet that has sent nothing.
    public init(fleet: FleetModel) {
        self.fleet = fleet
        marks = Array(repeating: [], count: fleet.devices.count)
    }

    /// The batch has been sent or is about to be sent. A faulty batch is not marked, because none
    /// of it may be stored.
    public mutating func sent(_ window: BatchWindow) {
        guard window.fault == nil else { return }
        mark(window, .sent)
    }

    /// The batch was answered with a 200.
    public mutating func accepted(_ window: BatchWindow, answer: UnsafeRawBufferPointer) {
        guard window.fault == nil else {
            return objections.add(.faultyBatchAccepted(window))
        }
        guard let counts = AnswerCounts(answer) else {
            return objections.add(.answerUnreadable(window))
        }
        let malformed = fleet.malformedCount(device: window.device, range: window.range)
        if counts.records != window.range.count || counts.quarantined != malformed
            || counts.stored + counts.duplicates + counts.quarantined != counts.records
        {
            objections.add(.countsWrong(window, counts, malformed: malformed))
        }
        if malformed > 0 || counts.quarantined > 0 { checkProblems(window, answer: answer) }
        totals.add(counts)
        mark(window, .acknowledged)
    }

    /// The batch was answered with a 2xx that says no more.
    public mutating func accepted(_ window: BatchWindow) {
        uncountedReadings += window.range.count
        mark(window, .acknowledged)
    }

    /// The batch was answered with a 202: it is acknowledged and must be stored once the spool is
    /// empty.
    public mutating func spooled(_ window: BatchWindow, answer: UnsafeRawBufferPointer) {
        guard window.fault == nil else {
            return objections.add(.faultyBatchAccepted(window))
        }
        guard let counts = AnswerCounts(spooled: answer) else {
            return objections.add(.answerUnreadable(window))
        }
        let malformed = fleet.malformedCount(device: window.device, range: window.range)
        if counts.records != window.range.count || counts.quarantined != malformed {
            objections.add(.countsWrong(window, counts, malformed: malformed))
        }
        if malformed > 0 || counts.quarantined > 0 { checkProblems(window, answer: answer) }
        spooled.add(counts)
        mark(window, .acknowledged)
    }

    /// The whole batch was rejected, and none of it is stored.
    public mutating func refused(_ window: BatchWindow, status: Int) {
        if window.fault?.status != status { objections.add(.statusWrong(window, status: status)) }
    }

    /// It is unknown whether the batch is stored: there was no answer, or a failure after the
    /// server took the batch.
    public mutating func uncertain(_ window: BatchWindow) {
        guard window.fault == nil else { return }
        uncertainReadings += window.range.count
    }

    private mutating func mark(_ window: BatchWindow, _ mark: Marks) {
        let missing = window.range.upperBound - marks[window.device].count
        if missing > 0 {
            marks[window.device].append(contentsOf: repeatElement(0, count: missing))
        }
        marks[window.device].withUnsafeMutableBufferPointer { marks in
            for sequence in window.range { marks[sequence] |= mark.rawValue }
        }
    }

    private mutating func checkProblems(_ window: BatchWindow, answer: UnsafeRawBufferPointer) {
        var expected: [AnswerProblem] = []
        for index in 0..<window.range.count where expected.count < AnswerProblem.countMax {
            let malformation = fleet.malformation(
                device: window.device, sequence: window.sequence(at: index))
            if let malformation {
                expected.append(AnswerProblem(index: index, reason: malformation.reason.rawValue))
            }
        }
        if AnswerProblem.all(in: answer) != expected { objections.add(.problemsWrong(window)) }
    }
}

extension FleetModel {
    /// The number of malformed readings in a range of sequence numbers.
    func malformedCount(device: Int, range: Range<Int>) -> Int {
        guard profile.malformedPerMillion > 0 else { return 0 }
        return range.count { malformation(device: device, sequence: $0) != nil }
    }
}
