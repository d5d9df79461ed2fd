import Glibc

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
