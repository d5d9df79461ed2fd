import Simulation
import Testing

/// An oracle that finds nothing proves nothing: it must notice a world that is wrong.
@Suite struct SabotageTests {
    /// In how many seeds at most; the rarest takes some 600.
    private static let seedsMax: UInt64 = 2000

    @Test(.timeLimit(.minutes(10)), arguments: Sabotage.allCases)
    func `a world that is wrong is found out`(_ sabotage: Sabotage) {
        let simulation = Simulation()
        let found = (1...Self.seedsMax).first { seed in
            !simulation.run(seed: seed, sabotage: sabotage).violations.isEmpty
        }
        #expect(found != nil, "nothing was noticed in \(Self.seedsMax) seeds")
    }
}
