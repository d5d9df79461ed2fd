package import Readings
import Scanning

/// What one transaction commits: parcels of readings, and units.
struct Group {
    var parcels: [ReceivedParcel] = []
    var units: [ReceivedUnit] = []

    init(parcels: [ReceivedParcel] = [], units: [ReceivedUnit] = []) {
        self.parcels = parcels
        self.units = units
    }

    /// - Parameter shipments: all parcels before all units.
    init(_ shipments: [Shipment]) {
        parcels.reserveCapacity(shipments.count)
        for shipment in shipments {
            switch shipment.load {
            case .parcel(let parcel):
                precondition(units.isEmpty, "BUG: a parcel behind a unit")
                parcels.append(parcel.settingAside(shipment.daysLeft))
            case .unit(let unit):
                units.append(unit)
            }
        }
    }

    var count: Int { parcels.count + units.count }

    /// The first half and the rest; parcels come before units.
    func halves() -> (Group, Group) {
        let middle = count / 2
        let parcelsMiddle = min(middle, parcels.count)
        let unitsMiddle = middle - parcelsMiddle
        return (
            Group(
                parcels: Array(parcels[..<parcelsMiddle]), units: Array(units[..<unitsMiddle])),
            Group(parcels: Array(parcels[parcelsMiddle...]), units: Array(units[unitsMiddle...]))
        )
    }

    /// The same when it may have been committed already. If a later attempt is refused, no earlier
    /// one was committed, so the halves are not late.
    func late() -> Group { Group(parcels: parcels, units: units.map { $0.late() }) }

    /// The readings and the units as two groups; nil unless it has both.
    func parted() -> (Group, Group)? {
        guard !parcels.isEmpty, !units.isEmpty else { return nil }
        return (Group(parcels: parcels), Group(units: units))
    }

    /// The places of its units, grouped by kind; nil when there is only one kind. Rejected units
    /// form a group of their own.
    func placesByKind() -> [[Int]]? {
        let places = Dictionary(grouping: units.indices) {
            units[$0].refusal == nil ? units[$0].unit.kind : nil
        }
        guard places.count > 1 else { return nil }
        return places.values.sorted { $0[0] < $1[0] }
    }
}

/// What became of a group, in the order of its parcels and of its units.
struct GroupResult: Equatable {
    var counts: [GroupCounts]
    /// What the statement returned for each unit; nil: the unit was rejected.
    var results: [String?]

    /// One outcome for each parcel, then one for each unit of `group`.
    func outcomes(of group: Group) -> [CommitOutcome] {
        var outcomes = counts.map { counts in
            CommitOutcome.committed(
                stored: counts.stored, duplicates: counts.duplicates,
                quarantined: counts.quarantined, refusals: counts.refusals)
        }
        for (unit, result) in zip(group.units, results) {
            if unit.isReplayed {
                outcomes.append(
                    .committed(
                        stored: result == nil ? 0 : 1, duplicates: 0,
                        quarantined: result == nil ? 1 : 0))
            } else if let result {
                outcomes.append(.recorded(result: result))
            } else {
                preconditionFailure("BUG: a live unit was set aside")
            }
        }
        return outcomes
    }
}

extension ReceivedParcel {
    /// The same with its rows of these days quarantined.
    fileprivate func settingAside(_ days: Set<ReadingDay>) -> ReceivedParcel {
        if days.isEmpty { return self }
        return with(
            parcel.settingAside(.timeTooOld) { kind, time in
                days.contains(ReadingDay(kind: kind, day: Timestamp(microseconds: time).day))
            })
    }
}

/// What became of one parcel; the three numbers add up to its readings.
struct GroupCounts: Equatable {
    var stored = 0
    var duplicates = 0
    var quarantined = 0
    /// Those of `quarantined` that the scanner had let through.
    var refusals = LaneRefusals()
}

/// The late readings that a group stores for one device: those older than the newest of their kind
/// that was stored before the group or is in an earlier batch of it.
package struct LateReadings {
    package let deviceKey: Int64
    package private(set) var count: Int64 = 0
    /// The greatest lateness by kind, in microseconds.
    package private(set) var byMax = ByKind<Int64>(repeating: 0)

    init(deviceKey: Int64) {
        self.deviceKey = deviceKey
    }

    mutating func add(_ kind: ReadingKind, by microseconds: Int64) {
        count += 1
        byMax[kind] = max(byMax[kind], microseconds)
    }
}
