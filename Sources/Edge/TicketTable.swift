import Access
import NIOCore
import Scanning

/// The batches that one event loop has given to lanes and heard nothing of yet.
///
/// A ticket is a place and the number of times that place was used, so that finding and removing
/// one is two array accesses and a ticket that was given back is never taken for a new one.
struct TicketTable {
    struct Entry {
        /// Who waits; nil when the client is gone or was told that it takes too long.
        var handler: IngestHandler?
        /// Whose bytes they are.
        let account: KeyAccount
        /// Readings in flight, as the ledger has them.
        let received: Int
        /// What the scanner set aside of them.
        let quarantined: Int
        let problems: [Problem]
        let reservedBytes: Int
        /// When the request's head had come.
        let startedAt: NIODeadline
    }

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

    /// Nobody waits for it any more; it stays until its outcome comes.
    mutating func forgetHandler(of ticket: UInt64) {
        slots[place(of: ticket)].entry?.handler = nil
    }

    private func place(of ticket: UInt64) -> Int {
        let index = Int(ticket & 0xFFFF_FFFF)
        precondition(
            index < slots.count && slots[index].uses == UInt32(ticket >> 32),
            "BUG: ticket \(ticket) was never given or was given back")
        return index
    }
}
