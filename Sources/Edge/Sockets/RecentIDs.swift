import DequeModule

/// The ids that were seen last, and no more than so many: for telling what comes twice within reason.
struct RecentIDs {
    private var order: Deque<Int64> = []
    private var known: Set<Int64> = []
    private let countMax: Int

    /// Nothing is allocated before the first one.
    init(countMax: Int = 1024) {
        precondition(countMax > 0, "BUG: countMax=\(countMax)")
        self.countMax = countMax
    }

    /// - Returns: false when it is known.
    mutating func insert(_ id: Int64) -> Bool {
        guard known.insert(id).inserted else { return false }
        order.append(id)
        if order.count > countMax, let oldest = order.popFirst() { known.remove(oldest) }
        return true
    }
}
