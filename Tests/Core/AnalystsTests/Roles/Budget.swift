import Foundation
import TestSupport

/// A row of `sql/queries/budgets.csv`: what a query may read of 20 days of 200 devices.
struct Budget {
    let days: Int
    let readings: Int
    let pages: Int
    let work: Int

    /// By query.
    static func all() throws -> [String: Budget] {
        let text = try String(contentsOf: Project.file("sql/queries/budgets.csv"), encoding: .utf8)
        var budgets: [String: Budget] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            let cells = line.split(separator: ",").map(String.init)
            let numbers = cells.dropFirst().compactMap { Int($0) }
            precondition(cells.count == 5 && numbers.count == 4, "BUG: \(line)")
            budgets[cells[0]] = Budget(
                days: numbers[0], readings: numbers[1], pages: numbers[2], work: numbers[3])
        }
        return budgets
    }

    /// Whether the figures keep within it.
    func covers(_ figures: PlanFigures) -> Bool {
        figures.days.count <= days && figures.readings <= readings && figures.pages <= pages
            && figures.work <= work
    }
}
