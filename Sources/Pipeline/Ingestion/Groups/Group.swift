package import Readings
import Scanning

/// What is committed at once: parcels of readings, and units.
struct Group {
    var parcels: [ReceivedParcel] = []
    var units: [ReceivedUnit] = []

    init(parcels: [ReceivedParcel] = [], units: [ReceivedUnit] = []) {
        self.parcels = parcels
        self.units = units
    }

    /// - Parameter shipments: all parcels in front of all units.
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

    /// The first half and the rest, where parcels count as standing in front of units.
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

    /// The same when it may have been committed already. A group of which a later attempt is refused
    /// was not committed by an earlier one, so halves of it are as they were.
    func late() -> Group { Group(parcels: parcels, units: units.map { $0.late() }) }

    /// The readings and the units apart, when it has both.
    func parted() -> (Group, Group)? {
        guard !parcels.isEmpty, !units.isEmpty else { return nil }
        return (Group(parcels: parcels), Group(units: units))
    }

    /// The places of its units by their kinds, when they are of several; those that are only set
    /// aside are of no kind.
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
    /// What the statement said of each unit; nil: it was set aside.
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
    /// The same with its rows of these days set aside.
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

/// What a group stores late of one device: readings older than the newest of their kind that was
/// stored before their batch, or came in a batch before it.
package struct LateReadings {
    package let deviceKey: Int64
    package private(set) var count: Int64 = 0
    /// By kind, microseconds: how much older at most.
    package private(set) var byMax = ByKind<Int64>(repeating: 0)

    init(deviceKey: Int64) {
        self.deviceKey = deviceKey
    }

    mutating func add(_ kind: ReadingKind, by microseconds: Int64) {
        count += 1
        byMax[kind] = max(byMax[kind], microseconds)
    }
}
