import Instruments
import Synchronization

/// The lanes of a core. Their number rises when more nodes of a cluster become known, and never
/// falls: a lane that has no shards is idle.
///
/// For any thread. Lanes are added before the placement that needs them is installed, so whoever
/// takes a number from a placement first finds its lane here.
final class LaneBook<Outside: World>: Sendable {
    private struct Later {
        var lanes: [Lane<Outside>] = []
        var isClosed = false
    }

    private let first: [Lane<Outside>]
    private let later = Mutex(Later())
    private let hasGrown = Atomic(false)

    init(_ lanes: [Lane<Outside>]) { first = lanes }

    var all: [Lane<Outside>] {
        guard hasGrown.load(ordering: .acquiring) else { return first }
        return first + later.withLock { $0.lanes }
    }

    var count: Int { first.count + later.withLock { $0.lanes.count } }

    subscript(number: Int) -> Lane<Outside> {
        if number < first.count { return first[number] }
        return later.withLock { $0.lanes[number - first.count] }
    }

    /// - Returns: false once ``close()`` was called; the lanes are not added then.
    func add(_ lanes: [Lane<Outside>]) -> Bool {
        let isAdded = later.withLock { later in
            guard !later.isClosed else { return false }
            later.lanes += lanes
            return true
        }
        if isAdded { hasGrown.store(true, ordering: .releasing) }
        return isAdded
    }

    /// - Returns: all lanes; no other is added from now on.
    func close() -> [Lane<Outside>] {
        first
            + later.withLock { later in
                later.isClosed = true
                return later.lanes
            }
    }
}
