import Synchronization

/// A number of places, such as those of clients that watch the status or download a file.
final class PlaceCounter: Sendable {
    private let max: Int
    private let count = Atomic(0)

    init(max: Int) {
        precondition(max > 0, "BUG: max=\(max)")
        self.max = max
    }

    /// Returned when the last reference to it is released.
    final class Place: Sendable {
        private let counter: PlaceCounter

        fileprivate init(_ counter: PlaceCounter) {
            self.counter = counter
        }

        deinit {
            counter.count.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// - Returns: nil if no place is free.
    func take() -> Place? {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= max else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return nil
        }
        return Place(self)
    }
}
