import DequeModule

/// The last ids that were inserted, up to a limit, to detect recent duplicates.
struct RecentIDs {
    private var order: Deque<Int64> = []
    private var known: Set<Int64> = []
    private let countMax: Int

    /// Nothing is allocated before the first id.
    init(countMax: Int = 1024) {
        precondition(countMax > 0, "BUG: countMax=\(countMax)")
        self.countMax = countMax
    }

    /// - Returns: false if the id is known.
    mutating func insert(_ id: Int64) -> Bool {
        guard known.insert(id).inserted else { return false }
        order.append(id)
        if order.count > countMax, let oldest = order.popFirst() { known.remove(oldest) }
        return true
    }
}
