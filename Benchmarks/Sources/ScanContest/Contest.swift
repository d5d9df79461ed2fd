import CSimdjson
import Foundation

/// Runs one scenario: checks all implementations, then times them in turns.
package struct Contest {
    private let scenario: Scenario
    private let corpus: Corpus
    private let rounds: Int
    private let milliseconds: Int

    /// - Parameters:
    ///   - readings: number of different readings.
    ///   - rounds: number of pairs of timings.
    ///   - milliseconds: approximate length of each timing.
    package init(
        scenario: Scenario, readings: Int, seed: UInt64, rounds: Int, milliseconds: Int
    ) {
        self.scenario = scenario
        self.rounds = rounds
        self.milliseconds = milliseconds
        corpus = scenario.corpus(readings, seed)
    }

    /// The simdjson kernels in use on this machine.
    package static var opponent: String {
        "simdjson On-Demand: kernel \(SimdjsonOndemand.kernel), compiled for "
            + SimdjsonOndemand.compiledKernel
    }

    /// - Throws: ``Disagreement`` when two implementations read a body differently.
    package func run() throws -> Comparison {
        let scanner = SluiceScanner(
            chunkBytes: scenario.chunkBytes, knowsSenders: scenario.knowsSenders)
        try scanner.check(corpus)
        switch scenario.opponent {
        case .wholeBodies:
            let whole = SluiceScanner(chunkBytes: nil, knowsSenders: scenario.knowsSenders)
            try whole.check(corpus)
            let times = timings([scanner, whole])
            return comparison(times[0], times[1], encoding: nil, opponent: "the same, whole bodies")
        case .simdjson:
            let plain = try fastest(encodes: false)
            let encoding = try fastest(encodes: true)
            let times = timings([scanner, plain, encoding])
            return comparison(times[0], times[1], encoding: times[2], opponent: plain.name)
        }
    }

    /// The way to find fields that is fastest on this corpus.
    private func fastest(encodes: Bool) throws -> SimdjsonOndemand {
        var best: (time: Double, way: SimdjsonOndemand)?
        let ways: [OndemandAccess] =
            (scenario.isOrdered ? [OndemandOrdered] : []) + [OndemandUnordered, OndemandIterate]
        for way in ways {
            let candidate = SimdjsonOndemand(access: way, encodes: encodes, corpus: corpus)
            try candidate.check(corpus)
            let time = (0..<3).map { _ in self.time(candidate, passes: passes(of: candidate)) }
                .min()!
            if time < best?.time ?? .infinity { best = (time, candidate) }
        }
        return best!.way
    }

    /// Nanoseconds per reading of each implementation, one value per round.
    private func timings(_ implementations: [any Implementation]) -> [[Double]] {
        let passes = implementations.map(self.passes(of:))
        var times = implementations.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, implementation) in implementations.enumerated() {
                times[index].append(time(implementation, passes: passes[index]))
            }
        }
        return times
    }

    private func passes(of implementation: any Implementation) -> Int {
        _ = time(implementation, passes: 2)
        let once = time(implementation, passes: 3) * Double(corpus.readings)
        return max(1, Int(Double(milliseconds) * 1e6 / once))
    }

    private func time(_ implementation: any Implementation, passes: Int) -> Double {
        let clock = ContinuousClock()
        let taken = clock.measure {
            for _ in 0..<passes { implementation.pass(over: corpus) }
        }
        let nanoseconds =
            Double(taken.components.seconds) * 1e9 + Double(taken.components.attoseconds) * 1e-9
        return nanoseconds / Double(passes * corpus.readings)
    }

    private func comparison(
        _ own: [Double], _ other: [Double], encoding: [Double]?, opponent: String
    ) -> Comparison {
        Comparison(
            scenario: scenario.name, opponent: opponent, goal: scenario.goal,
            bytesPerReading: Double(corpus.bodyBytes) / Double(corpus.readings),
            ownNanoseconds: median(own), otherNanoseconds: median(other),
            encodingNanoseconds: encoding.map(median),
            ratios: zip(own, other).map { $1 / $0 }.sorted(),
            encodingRatio: encoding.map { median(zip(own, $0).map { $1 / $0 }) })
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
