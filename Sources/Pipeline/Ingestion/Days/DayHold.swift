import Postgres
import Readings
import Scanning

/// A lane's parcels whose days are still to be made. It also knows which days exist, so that other
/// parcels need not wait.
///
/// Rows of days that left the tables are quarantined; the parcel's other rows are stored.
struct DayHold {
    /// Asks for days; returns the standings of those that are settled.
    typealias Ask = (Set<Int32>, _ device: Int64, _ since: ContinuousClock.Instant)
        -> [Int32: DayPlan.Standing]

    /// Bytes of parcels that may wait here; an empty hold takes any one parcel.
    static let bytesMax = 4 * 1024 * 1024

    /// Days known to have their partitions.
    private var known: Set<Int32> = []
    private var held: [Shipment] = []
    private var bytes = 0

    var isEmpty: Bool { held.isEmpty }

    /// Moves the parcels that have to wait out of `group`.
    ///
    /// - Returns: those that would have to wait, but there is no room.
    mutating func admit(_ group: inout [Shipment], _ ask: Ask) -> [Shipment] {
        guard group.contains(where: { needsAnswer($0) }) else { return [] }
        var ready: [Shipment] = []
        var refused: [Shipment] = []
        for shipment in group {
            if let settled = settled(shipment, ask) {
                ready.append(settled)
            } else if !hold(shipment) {
                refused.append(shipment)
            }
        }
        group = ready
        return refused
    }

    /// - Returns: false when there is no room.
    mutating func hold(_ shipment: Shipment) -> Bool {
        guard held.isEmpty || bytes + shipment.memory <= Self.bytesMax else { return false }
        held.append(shipment)
        bytes += shipment.memory
        return true
    }

    /// Takes out the parcels whose days are settled and, as late, the others offered before
    /// `limit`.
    mutating func release(
        offeredBefore limit: ContinuousClock.Instant, _ ask: Ask
    ) -> (ready: [Shipment], late: [Shipment]) {
        guard !held.isEmpty else { return ([], []) }
        var ready: [Shipment] = []
        var late: [Shipment] = []
        var left: [Shipment] = []
        // The newest parcel asks first, because a day may be made between two questions. So a
        // device's newer batch never goes before an older one of the same day.
        for shipment in takeAll().reversed() {
            if let settled = settled(shipment, ask) {
                ready.append(settled)
            } else if shipment.offeredAt < limit {
                late.append(shipment)
            } else {
                left.append(shipment)
                bytes += shipment.memory
            }
        }
        held = left.reversed()
        return (ready.reversed(), late.reversed())
    }

    mutating func takeAll() -> [Shipment] {
        defer { (held, bytes) = ([], 0) }
        return held
    }

    /// Forgets days whose partitions were found to be missing.
    mutating func forget(_ days: Set<Int32>) { known.subtract(days) }

    /// Whether some of its days are not known to exist.
    func needsAnswer(_ shipment: Shipment) -> Bool {
        guard case .parcel(let received) = shipment.load else { return false }
        return !Self.days(of: received.parcel, without: known).isEmpty
    }

    /// nil: it has to wait.
    private mutating func settled(_ shipment: Shipment, _ ask: Ask) -> Shipment? {
        guard case .parcel(let received) = shipment.load else { return shipment }
        let parcel = received.parcel
        let days = Self.days(of: parcel, without: known)
        if days.isEmpty { return shipment }
        let standings = ask(days, parcel.key.value, shipment.offeredAt)
        guard standings.count == days.count else { return nil }
        var left: Set<ReadingDay> = []
        for (day, standing) in standings {
            switch standing {
            case .exists: known.insert(day)
            case .left(let kinds):
                for kind in kinds { left.insert(ReadingDay(kind: kind, day: day)) }
            case .pending: preconditionFailure("BUG: day \(day) is not settled")
            }
        }
        var settled = shipment
        settled.daysLeft = left
        return settled
    }

    /// The days of a parcel's rows, except those in `known`.
    static func days(of parcel: Parcel, without known: Set<Int32> = []) -> Set<Int32> {
        var days: Set<Int32> = []
        for kind in ReadingKind.allCases {
            let rows = parcel.summary(of: kind)
            guard rows.count > 0 else { continue }
            let first = Timestamp(microseconds: rows.first).day
            let last = Timestamp(microseconds: rows.last).day
            if first == last {
                if !known.contains(first) { days.insert(first) }
            } else {
                parcel.withRows(of: kind) {
                    addDays(in: $0.tuples.bytes, without: known, to: &days)
                }
            }
        }
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
