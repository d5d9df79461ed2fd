import Foundation
import Load

/// The results of all rounds, one line for each fault.
struct ChaosTable {
    private struct Row {
        var rounds = 0
        var clean = 0
        var lost = 0
        var twice = 0
        var invented = 0
        var crashes = 0
        var acknowledged = 0
        var spooled = 0
        var firsts: [Double] = []
        var empties: [Double] = []
    }

    private var order: [String] = []
    private var rows: [String: Row] = [:]
    private(set) var skipped: [(name: String, reason: String)] = []

    var isClean: Bool { rows.values.allSatisfy { $0.clean == $0.rounds } }
    var rounds: Int { rows.values.reduce(0) { $0 + $1.rounds } }

    mutating func skip(_ name: String, _ reason: String) {
        skipped.append((name, reason))
    }

    mutating func add(_ outcome: RoundOutcome) {
        if rows[outcome.fault] == nil { order.append(outcome.fault) }
        var row = rows[outcome.fault] ?? Row()
        row.rounds += 1
        row.clean += outcome.isClean ? 1 : 0
        row.lost += outcome.lost
        row.twice += outcome.twice
        row.invented += outcome.invented
        row.crashes += outcome.crashes
        row.acknowledged += outcome.committed + outcome.spooled
        row.spooled += outcome.spooled
        if let time = outcome.firstMilliseconds { row.firsts.append(time) }
        if let time = outcome.emptyMilliseconds { row.empties.append(time) }
        rows[outcome.fault] = row
    }

    var lines: [String] {
        let head =
            "fault                 rounds clean  acknowledged  with 202   lost  twice invented"
            + " crashes     first 200, ms       spool empty, ms"
        let body = order.map { name in
            let row = rows[name] ?? Row()
            func right(_ text: String, _ width: Int) -> String {
                String(repeating: " ", count: max(1, width - text.count)) + text
            }
            func times(_ values: [Double]) -> String {
                values.isEmpty
                    ? "never"
                    : String(
                        format: "%.0f (max %.0f)", Figures.median(values), values.max() ?? 0)
            }
            return name.padding(toLength: 21, withPad: " ", startingAt: 0)
                + right("\(row.rounds)", 7) + right("\(row.clean)", 6)
                + right(Figures.short(Double(row.acknowledged)), 14)
                + right(Figures.short(Double(row.spooled)), 10) + right("\(row.lost)", 7)
                + right("\(row.twice)", 7) + right("\(row.invented)", 9)
                + right("\(row.crashes)", 8) + right(times(row.firsts), 18)
                + right(times(row.empties), 22)
        }
        return [head] + body + skipped.map { "\($0.name): skipped, \($0.reason)" }
    }
}
