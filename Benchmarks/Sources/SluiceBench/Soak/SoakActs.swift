import Fleet
import Foundation

/// What happens in a soak: all things once in a random order, then again in another.
struct SoakActs {
    var random: SeededGenerator
    private let plan: SoakPlan
    private let possible: [any Fault]
    let skipped: [(name: String, reason: String)]
    private var coming: [any Fault] = []
    private(set) var counts: [(name: String, count: Int)]

    private static let all: [any Fault] = [
        DatabaseStopped(mode: .fast), DatabaseKilled(), SecondNodeKilled(), SecondNodeAway(),
        ConfigurationReloaded(), KeysRotated(), DaySealed(), DayArchived(), MidnightPassed(),
    ]

    init(seed: UInt64, plan: SoakPlan) {
        random = SeededGenerator(seed: seed ^ 0x50A4)
        self.plan = plan
        possible = Self.all.filter { $0.obstacle == nil }
        skipped = Self.all.compactMap { act in act.obstacle.map { (act.name, $0) } }
        counts = possible.map { ($0.name, 0) }
    }

    /// Seconds until the next one: a half to one and a half of the mean.
    mutating func pause() -> Double { plan.faultSeconds * random.seconds(0.5...1.5) }

    mutating func next() -> any Fault {
        if coming.isEmpty { coming = possible.shuffled(using: &random) }
        let act = coming.removeLast()
        if let place = counts.firstIndex(where: { $0.name == act.name }) {
            counts[place].count += 1
        }
        return act
    }
}
