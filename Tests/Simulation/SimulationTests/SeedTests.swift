import Foundation
import ScannerSupport
import Simulation
import Synchronization
import Testing

/// Runs the core in a world full of faults, one seed after the other.
///
/// `SLUICE_SIMULATED_SEEDS` sets how many, `SLUICE_FIRST_SEED` the first.
@Suite struct SeedTests {
    private static func number(_ name: String, _ usual: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) ?? usual
    }

    @Test(.timeLimit(.minutes(10)))
    func `nothing is lost, stored twice or invented, whatever breaks`() {
        play(Self.number("SLUICE_SIMULATED_SEEDS", 800)) { _ in 0 }
    }

    /// The same with a database distributed over one to six shards, as on Citus. A group that mixes
    /// shards, or goes to a node other than the shard's, traps.
    @Test(.timeLimit(.minutes(10)))
    func `nothing is lost, stored twice or invented with one shard for each transaction`() {
        play(Self.number("SLUICE_SIMULATED_SEEDS", 800) / 4) { 1 + Int($0 % 6) }
    }

    /// The same with metrics by name, which wait in queues and spools without a code.
    @Test(.timeLimit(.minutes(10)))
    func `nothing is lost, stored twice or invented where metrics have names`() {
        play(Self.number("SLUICE_SIMULATED_SEEDS", 800) / 4, namesMetrics: true) {
            $0 % 4 == 0 ? 3 : 0
        }
    }

    private func play(
        _ count: UInt64, namesMetrics: Bool = false,
        _ shards: @escaping @Sendable (UInt64) -> Int
    ) {
        let first = Self.number("SLUICE_FIRST_SEED", 1)
        let end = first + count
        let next = Atomic(first)
        let failures = Mutex<[String]>([])
        Parallel.run(2) { thread in
            let note = CrashNote(slot: thread)
            let simulation = Simulation()
            while true {
                let seed = next.add(1, ordering: .relaxed).oldValue
                guard seed < end else { return }
                note.note(input: seed)
                let report = simulation.run(
                    seed: seed, shards: shards(seed), namesMetrics: namesMetrics)
                guard let violation = report.violations.first else { continue }
                failures.withLock { $0.append("seed \(seed): \(violation)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test(arguments: KeptSeed.all)
    func `a kept seed that once failed passes`(_ kept: KeptSeed) {
        let report = Simulation().run(seed: kept.seed)
        #expect(report.violations == [], "\(kept.story)")
    }
}
