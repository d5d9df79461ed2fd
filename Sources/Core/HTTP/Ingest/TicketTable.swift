import Auth
import NIOCore
import Scanner

/// The batches, or the units of work, that one event loop has offered to lanes and that have no
/// outcome yet.
///
/// A ticket holds an index and the number of uses of that index. So looking up or removing an entry
/// takes two array accesses, and an old ticket is never taken for a new one.
struct TicketTable<Entry> {
    private struct Slot {
        var uses: UInt32 = 0
        var entry: Entry?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    var count: Int { slots.count - free.count }

    mutating func insert(_ entry: Entry) -> UInt64 {
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = UInt32(slots.count)
            slots.append(Slot())
        }
        slots[Int(index)].uses &+= 1
        slots[Int(index)].entry = entry
        return UInt64(slots[Int(index)].uses) << 32 | UInt64(index)
    }

    mutating func remove(_ ticket: UInt64) -> Entry {
        let index = place(of: ticket)
        guard let entry = slots[index].entry.take() else {
            preconditionFailure("BUG: ticket \(ticket) is not in use")
        }
        free.append(UInt32(index))
        return entry
    }

    /// Changes an entry if it still exists.
    mutating func update(_ ticket: UInt64, _ body: (inout Entry) -> Void) {
        let index = place(of: ticket)
        guard slots[index].entry != nil else { return }
        body(&slots[index].entry!)
    }

    private func place(of ticket: UInt64) -> Int {
        let index = Int(UInt32(truncatingIfNeeded: ticket))
        precondition(
            index < slots.count && slots[index].uses == UInt32(ticket >> 32),
            "BUG: ticket \(ticket) was never given or was given back")
        return index
    }
}
