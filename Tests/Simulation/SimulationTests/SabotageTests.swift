import Simulation
import Testing

/// An oracle that finds nothing proves nothing: it must notice each sabotaged model.
@Suite struct SabotageTests {
    /// The most seeds that are tried; the rarest sabotage needs about 600.
    private static let seedsMax: UInt64 = 2000

    @Test(.timeLimit(.minutes(10)), arguments: Sabotage.allCases)
    func `a sabotaged model is noticed`(_ sabotage: Sabotage) {
        let simulation = Simulation()
        let found = (1...Self.seedsMax).first { seed in
            !simulation.run(seed: seed, sabotage: sabotage).violations.isEmpty
        }
        #expect(found != nil, "nothing was noticed in \(Self.seedsMax) seeds")
    }
}
