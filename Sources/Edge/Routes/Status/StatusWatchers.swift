import Synchronization

/// Places for those who watch.
final class StatusWatchers: Sendable {
    private let max: Int
    private let count = Atomic(0)

    init(max: Int) {
        self.max = max
    }

    /// Given back when the last reference to it goes.
    final class Place: Sendable {
        private let watchers: StatusWatchers

        fileprivate init(_ watchers: StatusWatchers) {
            self.watchers = watchers
        }

        deinit {
            watchers.count.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// - Returns: nil when all are taken.
    func take() -> Place? {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= max else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return nil
        }
        return Place(self)
    }
}
