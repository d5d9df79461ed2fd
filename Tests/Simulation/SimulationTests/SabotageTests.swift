import Simulation
import Testing

/// An oracle that finds nothing proves nothing: it must notice each sabotaged model.
@Suite struct SabotageTests {
    /// The most seeds that are tried; most sabotages need fewer than 900.
    private static let seedsMax: UInt64 = 2000

    /// The first seeds that noticed rare sabotages. They are tried before all others, because a
    /// search takes minutes. After a change of the core other seeds may be the first.
    private static let known: [Sabotage: UInt64] = [
        .registersApart: 94, .commitsWithoutLocks: 86, .answersBeforeStandbys: 93,
        .believesSetting: 157, .countsOnlyTheFastest: 457, .forgetsBusySlots: 385,
        .forgetsLostSlots: 4929, .trustsOldTimelines: 89,
    ]

    @Test(.timeLimit(.minutes(10)), arguments: Sabotage.allCases)
    func `a sabotaged model is noticed`(_ sabotage: Sabotage) {
        let simulation = Simulation()
        let known = Self.known[sabotage]
        let found = ([known].compactMap(\.self) + Array(1...Self.seedsMax)).first { seed in
            !simulation.run(seed: seed, sabotage: sabotage).violations.isEmpty
        }
        #expect(found != nil, "nothing was noticed in \(Self.seedsMax) seeds")
        if let found, found > 50, found != known { print("\(sabotage): seed \(found) notices it") }
    }
}
