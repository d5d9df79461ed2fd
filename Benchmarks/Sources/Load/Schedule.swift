import Fleet
import Glibc

/// When the requests of an open loop should leave.
struct Schedule {
    private let gap: Double
    private let arrival: LoadPlan.Arrival
    private var generator: SeededGenerator
    private var exact: Double
    /// The moment of the next request.
    private(set) var due: UInt64

    init(requestsPerSecond: Double, arrival: LoadPlan.Arrival, start: UInt64, seed: UInt64) {
        precondition(requestsPerSecond > 0, "BUG: requestsPerSecond=\(requestsPerSecond)")
        gap = 1e9 / requestsPerSecond
        self.arrival = arrival
        generator = SeededGenerator(seed: seed)
        exact = Double(start)
        due = start
        advance()
    }

    mutating func advance() {
        switch arrival {
        case .even: exact += gap
        case .poisson: exact -= log(generator.unit()) * gap
        }
        due = UInt64(exact)
    }
}

/// Requests that wait for their time, soonest first.
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

    /// The soonest, if its time has come.
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
