import Synchronization

/// A fixed row of atomic integers, each on its own, all starting at zero.
///
/// The only unsafe memory of this module: an `Atomic` can't be an element of an array, so the cells
/// are allocated here, never move, and are freed with this object. Every access is bounds-checked.
///
/// `@unchecked Sendable`: the pointer is never changed after `init`, and what it points to is only
/// ever reached through atomic operations.
final class AtomicCells: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<Int>>
    let count: Int

    init(count: Int) {
        precondition(count > 0, "BUG: count=\(count)")
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count {
            (cells + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    func add(_ amount: Int, to index: Int) {
        precondition(index >= 0 && index < count, "BUG: index=\(index)")
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }

    func load(_ index: Int) -> Int {
        precondition(index >= 0 && index < count, "BUG: index=\(index)")
        return cells[index].load(ordering: .relaxed)
    }
}
