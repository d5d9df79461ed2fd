import DequeModule
import SpoolLog

/// Which records of the spool are on their way back to the database, and which wait for a retry;
/// decides only.
///
/// A record is read each time it is shipped. One that was not taken, or can't be read, waits by
/// itself, longer each time, and delays no other; so does a segment that can't be read.
struct Replay {
    /// One record on its way.
    struct Delivery {
        let id: RecordID
        let bytes: Int
        /// Readings or units that were given to the lanes.
        let count: Int
        let kind: RecordKind
        /// All of the record was given to them: nothing in it is of an unknown kind.
        let isWhole: Bool
        /// Times that it was not taken.
        let failures: Int
    }

    /// A record that was not taken.
    private struct Held {
        let id: RecordID
        let failures: Int
        let dueAt: ContinuousClock.Instant
    }

    /// New records are read after this one; nil: from the oldest.
    private(set) var cursor: RecordID?
    private var underWay: [UInt64: Delivery] = [:]
    private var bytesUnderWay = 0
    /// Records that stay for another process; see ``UnknownKinds``.
    private(set) var keptCount = 0
    /// Grouped by the length of their wait, so that each list is in the order of due times.
    private var held: [Duration: Deque<Held>] = [:]
    /// Segments that are to be read again, by number.
    private var unread: [UInt64: (failures: Int, dueAt: ContinuousClock.Instant)] = [:]
    private var nextTicket: UInt64 = 0
    private let bytesMax: Int
    private let retryMin: Duration
    private let retryMax: Duration

    init(bytesMax: Int, retryMin: Duration, retryMax: Duration) {
        self.bytesMax = bytesMax
        self.retryMin = retryMin
        self.retryMax = retryMax
    }

    /// Whether another record may be read.
    var hasRoom: Bool { underWay.isEmpty || bytesUnderWay < bytesMax }

    /// Takes out the held record that has been due longest; nil if none is.
    mutating func takeDue(now: ContinuousClock.Instant) -> (id: RecordID, failures: Int)? {
        let fronts = held.compactMap { wait, list in list.first.map { (wait, $0) } }
        let first = fronts.min { ($0.1.dueAt, $0.1.id) < ($1.1.dueAt, $1.1.id) }
        guard let (wait, front) = first, front.dueAt <= now else { return nil }
        held[wait]?.removeFirst()
        if held[wait]?.isEmpty == true { held[wait] = nil }
        return (front.id, front.failures)
    }

    /// Records up to `id` have been read.
    mutating func reach(_ id: RecordID) { cursor = id }

    /// - Parameters:
    ///   - count: readings or units of it that are given to the lanes.
    ///   - failures: times that it was not taken before.
    /// - Returns: the ticket of its receipt.
    mutating func ship(_ record: SpooledRecord, count: Int, failures: Int) -> UInt64 {
        nextTicket += 1
        underWay[nextTicket] = Delivery(
            id: record.id, bytes: record.payload.count, count: count, kind: record.kind,
            isWhole: count == record.units, failures: failures)
        bytesUnderWay += record.payload.count
        return nextTicket
    }

    mutating func arrive(_ ticket: UInt64) -> Delivery {
        guard let delivery = underWay.removeValue(forKey: ticket) else {
            preconditionFailure("BUG: nothing is under way with ticket \(ticket)")
        }
        bytesUnderWay -= delivery.bytes
        return delivery
    }

    /// A record stays in the spool while this process runs, and is not read again.
    mutating func keep() { keptCount += 1 }

    /// The record was not taken: it waits twice as long as the last time.
    mutating func hold(_ delivery: Delivery, now: ContinuousClock.Instant) {
        hold(delivery.id, failures: delivery.failures, now: now)
    }

    /// - Parameter failures: times that it was not taken, or not read, before this one.
    mutating func hold(_ id: RecordID, failures: Int, now: ContinuousClock.Instant) {
        hold(id, failures: failures + 1, for: wait(after: failures), now: now)
    }

    private func wait(after failures: Int) -> Duration {
        var wait = retryMin
        for _ in 0..<min(failures, 30) where wait < retryMax { wait *= 2 }
        return min(wait, retryMax)
    }

    /// The record waits for the given time.
    mutating func hold(
        _ id: RecordID, failures: Int, for wait: Duration, now: ContinuousClock.Instant
    ) {
        held[wait, default: []].append(Held(id: id, failures: failures, dueAt: now + wait))
    }

    /// The segment to read again now; nil if none is due.
    ///
    /// - Parameter segments: all that are unread.
    mutating func takeUnread(
        of segments: [UInt64], now: ContinuousClock.Instant
    ) -> UInt64? {
        for segment in segments where unread[segment] == nil {
            unread[segment] = (1, now + retryMin)
        }
        if unread.count > segments.count {
            let segments = Set(segments)
            unread = unread.filter { segments.contains($0.key) }
        }
        return unread.filter { $0.value.dueAt <= now }
            .min { ($0.value.dueAt, $0.key) < ($1.value.dueAt, $1.key) }?.key
    }

    /// A segment was read again.
    ///
    /// - Parameters:
    ///   - records: those that can be read now. The ones that the cursor has passed are due at
    ///     once.
    ///   - took: how long that took; the pause is ten times as long at least, so that a disk that
    ///     answers slowly does not keep the spool from other work.
    mutating func readAgain(
        _ segment: UInt64, revealing records: [RecordID], took: Duration,
        now: ContinuousClock.Instant
    ) {
        let failures = records.isEmpty ? unread[segment]?.failures ?? 0 : 0
        unread[segment] = (failures + 1, now + max(wait(after: failures), took * 10))
        guard let cursor else { return }
        for record in records where record <= cursor {
            hold(record, failures: 0, for: .zero, now: now)
        }
    }
}
