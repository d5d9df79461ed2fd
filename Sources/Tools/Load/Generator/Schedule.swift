import Fleet
import Glibc

/// When the requests of an open loop should be sent.
struct Schedule {
    private let curve: RateCurve
    private let arrival: LoadPlan.Arrival
    private let start: UInt64
    private var generator: SeededGenerator
    /// The average number of requests that are due by `due`.
    private var position = 0.0
    /// The time of the next request; `.max` after the last stage.
    private(set) var due: UInt64

    init(curve: RateCurve, arrival: LoadPlan.Arrival, start: UInt64, seed: UInt64) {
        self.curve = curve
        self.arrival = arrival
        self.start = start
        generator = SeededGenerator(seed: seed)
        due = start
        advance()
    }

    mutating func advance() {
        position += arrival == .even ? 1 : -log(generator.unit())
        due = curve.seconds(ofRequest: position).map { start + UInt64($0 * 1e9) } ?? .max
    }

    /// The average number of requests that are still due before `end`.
    func count(before end: UInt64) -> Int {
        guard due < end else { return 0 }
        return 1 + Int(max(0, curve.requests(by: Double(end - start) * 1e-9) - position))
    }
}
