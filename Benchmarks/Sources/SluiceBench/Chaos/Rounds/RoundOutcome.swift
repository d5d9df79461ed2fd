import Foundation
import Oracle
import Load

/// The result of one round.
struct RoundOutcome {
    let fault: String
    var note = ""
    var batches = 0
    /// Readings acknowledged with a 200, including duplicates, and with a 202.
    var committed = 0
    var spooled = 0
    /// Requests without an answer, and answers of 429 or 503.
    var unanswered = 0
    var refusals = 0
    /// Time from the end of the fault to the first 200 for a batch that was sent after it, and
    /// until all Sluices were healthy and all spools empty; nil if it took too long.
    var firstMilliseconds: Double?
    var emptyMilliseconds: Double?
    var crashes = 0
    var lost = 0
    var twice = 0
    var invented = 0
    /// Everything else that is wrong.
    var others: [String] = []

    var isClean: Bool {
        lost == 0 && twice == 0 && invented == 0 && others.isEmpty && crashes == 0
            && emptyMilliseconds != nil && firstMilliseconds != nil
    }

    mutating func add(_ objections: Objections) {
        for (kind, count) in objections.counts {
            switch kind {
            case Objection.lost(device: "", sequence: 0).kind,
                Objection.quarantineMissing(device: "", sequence: 0, reason: "").kind:
                lost += count
            case Objection.storedTwice(table: "", device: "", sequence: 0).kind,
                Objection.quarantineTwice(device: "", sequence: 0).kind:
                twice += count
            case Objection.invented(table: "", device: "", microseconds: 0).kind,
                Objection.quarantineInvented(device: "", reason: "").kind:
                invented += count
            default: break
            }
        }
        others += objections.lines
    }

    /// One line, and one for each thing that is wrong.
    func lines(number: Int) -> [String] {
        func time(_ milliseconds: Double?) -> String {
            milliseconds.map { String(format: "%.0f ms", $0) } ?? "never"
        }
        let head = String(
            format: "%@ %3d %@", fault.padding(toLength: 21, withPad: " ", startingAt: 0), number,
            isClean ? "ok " : "BAD")
        let load =
            "  \(batches) batches, readings \(Figures.short(Double(committed))) with 200, "
            + "\(Figures.short(Double(spooled))) with 202"
        let odd = "  \(refusals) refused, \(unanswered) unanswered"
        let times = "  first 200 \(time(firstMilliseconds)), spool empty \(time(emptyMilliseconds))"
        return [head + load + odd + times + (note.isEmpty ? "" : "  (\(note))")]
            + (isClean
                ? []
                : [
                    "    lost \(lost), stored twice \(twice), invented \(invented), "
                        + "crashes \(crashes)"
                ] + others.map { "    " + $0 })
    }
}
