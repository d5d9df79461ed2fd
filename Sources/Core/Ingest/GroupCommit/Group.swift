import Postgres
import Readings
import Scanner

/// What one transaction commits: device batches of readings, and units.
struct Group {
    var deviceBatches: [ReceivedDeviceBatch] = []
    var units: [ReceivedUnit] = []

    init(deviceBatches: [ReceivedDeviceBatch] = [], units: [ReceivedUnit] = []) {
        self.deviceBatches = deviceBatches
        self.units = units
    }

    /// Without the rows of days that left.
    init(_ group: PendingGroup) {
        deviceBatches = group.deviceBatches.map(\.payload.withoutDaysLeft)
        units = group.units.map(\.payload)
    }

    var count: Int { deviceBatches.count + units.count }

    var senders: Set<Sender> {
        Set(deviceBatches.map(\.sender)).union(units.lazy.map(\.sender))
    }

    /// The first half and the rest; device batches come before units.
    func halves() -> (Group, Group) {
        let middle = count / 2
        let batchesMiddle = min(middle, deviceBatches.count)
        let unitsMiddle = middle - batchesMiddle
        return (
            Group(
                deviceBatches: Array(deviceBatches[..<batchesMiddle]),
                units: Array(units[..<unitsMiddle])),
            Group(
                deviceBatches: Array(deviceBatches[batchesMiddle...]),
                units: Array(units[unitsMiddle...]))
        )
    }

    /// The same when it may have been committed already. If a later attempt is refused, no earlier
    /// one was committed, so the halves are not late.
    func late() -> Group { Group(deviceBatches: deviceBatches, units: units.map { $0.late() }) }

    /// The readings and the units as two groups; nil unless it has both.
    func parted() -> (Group, Group)? {
        guard !deviceBatches.isEmpty, !units.isEmpty else { return nil }
        return (Group(deviceBatches: deviceBatches), Group(units: units))
    }

    /// Its units by kind, with their places; nil when there is only one kind. Units that are to be
    /// set aside form a group of their own.
    func unitsByKind() -> [[(place: Int, unit: ReceivedUnit)]]? {
        let kinds = Dictionary(grouping: units.enumerated().map { (place: $0, unit: $1) }) {
            $0.unit.refusal == nil ? $0.unit.unit.kind : nil
        }
        guard kinds.count > 1 else { return nil }
        return kinds.values.sorted { $0[0].place < $1[0].place }
    }
}

extension Group {
    /// What a committed transaction did, in the order of its group's device batches and of its units.
    struct Result: Equatable {
        var counts: [BatchCounts]
        var results: [ReceivedUnit.Result]
    }
}

extension Group {
    /// Why a group was not committed, and whom that concerns.
    struct Failure: Error {
        let error: PostgresError
        /// Others can be written at this moment, so something of the group is the cause: it is found by
        /// splitting.
        var isOfMembers = false
        /// Of the cause, the devices that are known by name.
        var devices: Set<Int64> = []
        /// An earlier COMMIT of the group was not answered: it may be committed.
        var isInDoubt = false

        init(_ error: PostgresError) { self.error = error }
    }
}
