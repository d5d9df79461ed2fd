import Foundation
import Load

/// Compares what was measured with the limits.
struct FrozenVerdict {
    let budget: MemoryBudget
    let result: FrozenResult
    let answerSecondsMax: Double

    /// The limit of the growth over the second half.
    private static let bytesPerMinuteMax = 1_048_576.0

    private var limitBytes: Int { result.idleBytes + budget.bytes }
    private var isSmall: Bool { result.peakBytes <= limitBytes }
    private var isFlat: Bool { result.bytesPerMinute <= Self.bytesPerMinuteMax }

    private var slowestSeconds: Double {
        guard let report = result.report else { return .infinity }
        return max(
            milliseconds(report.acceptedFromSend, at: 100),
            milliseconds(report.refusedFromSend, at: 100)) / 1000
    }

    private var isPrompt: Bool {
        slowestSeconds <= answerSecondsMax && (result.report?.lost ?? 1) == 0
    }

    var isGood: Bool { isSmall && isFlat && isPrompt && result.complaints.isEmpty }

    var lines: [String] {
        func mebibytes(_ bytes: Int) -> String {
            String(format: "%.1f MiB", Double(bytes) / 1_048_576)
        }
        func verdict(_ isMet: Bool) -> String { isMet ? "met" : "NOT MET" }
        let parts = budget.parts.map { "\($0.name) \(mebibytes($0.bytes))" }
        let statuses = (result.report?.statuses ?? [:]).sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value)" }
        let marks = stride(from: 0, to: result.samples.count, by: max(1, result.samples.count / 12))
            .map { String(format: "%.0f", Double(result.samples[$0]) / 1_048_576) }
        return [
            "idle \(mebibytes(result.idleBytes)), under load before the freeze "
                + mebibytes(result.warmBytes),
            "budgets " + parts.joined(separator: ", ")
                + ", \(budget.connections) connections of 16 KiB each",
            "resident, in MiB, over \(result.samples.count) s: " + marks.joined(separator: " "),
            "peak \(mebibytes(result.peakBytes)), limit \(mebibytes(limitBytes)): "
                + verdict(isSmall),
            String(
                format: "growth over the second half %.2f MiB a minute, limit 1: %@",
                result.bytesPerMinute / 1_048_576, verdict(isFlat)),
            String(
                format: "slowest answer %.2f s, limit %.0f s, %d requests without an answer: %@",
                slowestSeconds, answerSecondsMax, result.report?.lost ?? -1, verdict(isPrompt)),
            "answers " + statuses.joined(separator: " · ")
                + "; \(result.spooledReadings) readings in the spool at the end",
        ] + result.complaints
    }
}
