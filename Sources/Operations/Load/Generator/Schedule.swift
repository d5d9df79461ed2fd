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

/// Requests that wait until they are due, earliest first.
struct Waiting {
    private var heap: [(due: UInt64, ticket: UInt64)] = []

    var isEmpty: Bool { heap.isEmpty }
    var soonest: UInt64? { heap.first?.due }

    mutating func insert(_ ticket: UInt64, due: UInt64) {
        heap.append((due, ticket))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes the earliest request if it is due.
    mutating func removeDue(at now: UInt64) -> (due: UInt64, ticket: UInt64)? {
        guard let first = heap.first, first.due <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].due < heap[least].due {
                least = child
            }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
