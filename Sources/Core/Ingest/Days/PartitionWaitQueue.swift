import Postgres
import Readings
import Scanner

/// A lane's device batches whose days are still to be made. It also knows which days exist, so that
/// other device batches need not wait.
///
/// Rows of days that left the tables are quarantined; the device batch's other rows are stored.
struct PartitionWaitQueue {
    /// Asks for days; returns the standings of those that are settled.
    typealias Ask = (Set<Int32>, _ device: Int64, _ since: ContinuousClock.Instant)
        -> [Int32: DayPlan.Standing]

    /// Bytes of device batches that may wait here; an empty hold takes any one device batch.
    static let bytesMax = 4 * 1024 * 1024

    /// Days known to have their partitions.
    private var known: Set<Int32> = []
    private var held: [Pending<ReceivedDeviceBatch>] = []
    private var bytes = 0

    var isEmpty: Bool { held.isEmpty }

    /// Moves the device batches that have to wait out of `group`.
    ///
    /// - Returns: those that would have to wait, but there is no room.
    mutating func admit(
        _ group: inout [Pending<ReceivedDeviceBatch>], _ ask: Ask
    ) -> [Pending<ReceivedDeviceBatch>] {
        guard group.contains(where: { needsAnswer($0) }) else { return [] }
        var ready: [Pending<ReceivedDeviceBatch>] = []
        var refused: [Pending<ReceivedDeviceBatch>] = []
        for pending in group {
            if let settled = settled(pending, ask) {
                ready.append(settled)
            } else if !hold(pending) {
                refused.append(pending)
            }
        }
        group = ready
        return refused
    }

    /// - Returns: false when there is no room.
    mutating func hold(_ pending: Pending<ReceivedDeviceBatch>) -> Bool {
        let memory = pending.payload.memory
        guard held.isEmpty || bytes + memory <= Self.bytesMax else { return false }
        held.append(pending)
        bytes += memory
        return true
    }

    /// Takes out the device batches whose days are settled and, as late, the others offered before
    /// `limit`.
    mutating func release(
        offeredBefore limit: ContinuousClock.Instant, _ ask: Ask
    ) -> (ready: [Pending<ReceivedDeviceBatch>], late: [Pending<ReceivedDeviceBatch>]) {
        guard !held.isEmpty else { return ([], []) }
        var ready: [Pending<ReceivedDeviceBatch>] = []
        var late: [Pending<ReceivedDeviceBatch>] = []
        var left: [Pending<ReceivedDeviceBatch>] = []
        // The newest device batch asks first, because a day may be made between two questions. So a
        // device's newer batch never goes before an older one of the same day.
        for pending in takeAll().reversed() {
            if let settled = settled(pending, ask) {
                ready.append(settled)
            } else if pending.offeredAt < limit {
                late.append(pending)
            } else {
                left.append(pending)
                bytes += pending.payload.memory
            }
        }
        held = left.reversed()
        return (ready.reversed(), late.reversed())
    }

    mutating func takeAll() -> [Pending<ReceivedDeviceBatch>] {
        defer { (held, bytes) = ([], 0) }
        return held
    }

    /// Forgets days whose partitions were found to be missing.
    mutating func forget(_ days: Set<Int32>) { known.subtract(days) }

    /// Whether some of its days are not known to exist.
    func needsAnswer(_ pending: Pending<ReceivedDeviceBatch>) -> Bool {
        !Self.days(of: pending.payload.deviceBatch, without: known).isEmpty
    }

    /// nil: it has to wait.
    private mutating func settled(
        _ pending: Pending<ReceivedDeviceBatch>, _ ask: Ask
    ) -> Pending<ReceivedDeviceBatch>? {
        let deviceBatch = pending.payload.deviceBatch
        let days = Self.days(of: deviceBatch, without: known)
        if days.isEmpty { return pending }
        let standings = ask(days, deviceBatch.key.value, pending.offeredAt)
        guard standings.count == days.count else { return nil }
        var left: Set<ReadingDay> = []
        for (day, standing) in standings {
            switch standing {
            case .exists: known.insert(day)
            case .left(let kinds):
                for kind in kinds { left.insert(ReadingDay(kind: kind, day: day)) }
            }
        }
        var settled = pending
        settled.payload.daysLeft = left
        return settled
    }

    /// The days of a device batch's rows, except those in `known`.
    static func days(of deviceBatch: DeviceBatch, without known: Set<Int32> = []) -> Set<Int32> {
        var days: Set<Int32> = []
        for kind in ReadingKind.allCases {
            let rows = deviceBatch.summary(of: kind)
            guard rows.count > 0 else { continue }
            let first = Timestamp(microseconds: rows.first).day
            let last = Timestamp(microseconds: rows.last).day
            if first == last {
                if !known.contains(first) { days.insert(first) }
            } else {
                deviceBatch.withRows(of: kind) {
                    addDays(in: $0.tuples.bytes, without: known, to: &days)
                }
            }
        }
        deviceBatch.withNamedRows { addDays(in: $0.tuples.bytes, without: known, to: &days) }
        return days
    }

    private static func addDays(
        in tuples: UnsafeRawBufferPointer, without known: Set<Int32>, to days: inout Set<Int32>
    ) {
        var latest: Int32?
        var start = 0
        while start < tuples.count {
            let day = Timestamp(microseconds: TupleBuffer.time(in: tuples, at: start)).day
            if day != latest {
                if !known.contains(day) { days.insert(day) }
                latest = day
            }
            start = TupleBuffer.tupleEnd(in: tuples, at: start)
        }
    }
}
