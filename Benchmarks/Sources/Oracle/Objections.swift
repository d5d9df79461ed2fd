package import Fleet
package import Load

/// Something wrong that the oracle has found.
package enum Objection: Sendable, Equatable {
    case lost(device: String, sequence: Int)
    case storedTwice(table: String, device: String, sequence: Int)
    /// A row of one of the fleet's devices that was never sent.
    case invented(table: String, device: String, microseconds: Int64)
    case quarantineMissing(device: String, sequence: Int, reason: String)
    case quarantineTwice(device: String, sequence: Int)
    case quarantineWrongReason(device: String, sequence: Int, expected: String, found: String)
    case quarantineInvented(device: String, reason: String)
    case deviceMissing(device: String)
    /// The number of rows differs from the sum of all answers, which say nothing about
    /// `uncertain` readings.
    case rowsDifferFromAnswers(rows: Int, answered: Int, uncertain: Int)

    case faultyBatchAccepted(BatchWindow)
    case statusWrong(BatchWindow, status: Int)
    case answerUnreadable(BatchWindow)
    case countsWrong(BatchWindow, AnswerCounts, malformed: Int)
    case problemsWrong(BatchWindow)

    /// The kind of objection, without device and reading.
    package var kind: String {
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

/// Objections counted by kind, with the first few of each kind in full.
package struct Objections: Sendable {
    package static let keptOfEachKind = 5

    package private(set) var counts: [String: Int] = [:]
    package private(set) var kept: [Objection] = []

    package var isEmpty: Bool { counts.isEmpty }

    package mutating func add(_ objection: Objection) {
        let count = (counts[objection.kind] ?? 0) + 1
        counts[objection.kind] = count
        if count <= Self.keptOfEachKind { kept.append(objection) }
    }

    mutating func add(_ others: Objections) {
        counts.merge(others.counts) { $0 + $1 }
        kept += others.kept
    }

    /// One line for each kind, and one for each objection that was kept.
    package var lines: [String] {
        counts.sorted { $0.key < $1.key }.flatMap { kind, count in
            ["\(count) × \(kind)"] + kept.filter { $0.kind == kind }.map { "    \($0)" }
        }
    }
}
