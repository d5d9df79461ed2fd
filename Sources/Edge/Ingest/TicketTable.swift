import Access
import NIOCore
import Scanning

/// What one event loop has given to lanes and heard nothing of yet.
///
/// A ticket is a place and the number of times that place was used, so that finding and removing
/// one is two array accesses and a ticket that was given back is never taken for a new one.
struct TicketTable<Entry> {
    private struct Slot {
        var uses: UInt32 = 0
        var entry: Entry?
    }

    /// Set in every ticket of this table, so that tables can be told apart: 0, or bit 31.
    private let mark: UInt64
    private var slots: [Slot] = []
    private var free: [UInt32] = []

    init(mark: UInt64 = 0) {
        precondition(mark == 0 || mark == Self.markBit, "BUG: mark=\(mark)")
        self.mark = mark
    }

    private static var markBit: UInt64 { 1 << 31 }

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
        return UInt64(slots[Int(index)].uses) << 32 | mark | UInt64(index)
    }

    mutating func remove(_ ticket: UInt64) -> Entry {
        let index = place(of: ticket)
        guard let entry = slots[index].entry.take() else {
            preconditionFailure("BUG: ticket \(ticket) is not in use")
        }
        free.append(UInt32(index))
        return entry
    }

    /// Changes an entry, if it is still there.
    mutating func update(_ ticket: UInt64, _ body: (inout Entry) -> Void) {
        let index = place(of: ticket)
        guard slots[index].entry != nil else { return }
        body(&slots[index].entry!)
    }

    private func place(of ticket: UInt64) -> Int {
        let index = Int(ticket & (Self.markBit - 1))
        precondition(
            ticket & Self.markBit == mark && index < slots.count
                && slots[index].uses == UInt32(ticket >> 32),
            "BUG: ticket \(ticket) was never given or was given back")
        return index
    }
}

/// A batch that a connection has given to the lanes and heard nothing of yet.
struct IngestTicket {
    /// Who waits; nil when the client is gone or was told that it takes too long.
    var handler: ConnectionHandler?
    /// Whose bytes they are.
    let account: KeyAccount
    /// The envelope's device.
    let deviceID: String
    /// Readings in flight, as the ledger has them.
    let received: Int
    /// What the scanner set aside of them.
    let quarantined: Int
    let problems: [Problem]
    let reservedBytes: Int
    /// When the request's head had come.
    let startedAt: NIODeadline
}
