import Synchronization

/// A fixed number of independent atomic integers, all starting at zero.
///
/// This is the module's only unsafe memory: an `Atomic` can't be an element of an array. So the
/// cells are allocated here, never move, and are freed with this object. Every access is
/// bounds-checked.
///
/// `@unchecked Sendable`: the pointer never changes after `init`, and its memory is accessed only
/// through atomic operations.
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
