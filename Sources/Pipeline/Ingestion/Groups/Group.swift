package import Readings
package import Scanning

/// What is committed at once: parcels of readings, and units.
struct Group {
    var parcels: [GroupEntry] = []
    var units: [GroupUnit] = []

    init(parcels: [GroupEntry] = [], units: [GroupUnit] = []) {
        self.parcels = parcels
        self.units = units
    }

    /// - Parameter shipments: all parcels in front of all units.
    init(_ shipments: [Shipment]) {
        parcels.reserveCapacity(shipments.count)
        for shipment in shipments {
            switch shipment.load {
            case .parcel(let parcel, let keyName):
                precondition(units.isEmpty, "BUG: a parcel behind a unit")
                let left = shipment.daysLeft
                parcels.append(
                    GroupEntry(
                        parcel: left.isEmpty ? parcel : parcel.settingAside(left),
                        keyName: keyName, receivedAt: shipment.receivedAt))
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

extension Parcel {
    /// The same with its rows of these days set aside.
    fileprivate func settingAside(_ days: Set<ReadingDay>) -> Parcel {
        settingAside(.timeTooOld) { kind, time in
            days.contains(ReadingDay(kind: kind, day: Timestamp(microseconds: time).day))
        }
    }
}

/// One parcel of a group.
package struct GroupEntry {
    package let parcel: Parcel
    /// Name of the key it came with; stands in the quarantine.
    package let keyName: String
    /// When it came in, which may be long ago if it waited in the spool.
    package let receivedAt: Timestamp

    /// The same with another part of the parcel in its place.
    func with(_ parcel: Parcel) -> GroupEntry {
        GroupEntry(parcel: parcel, keyName: keyName, receivedAt: receivedAt)
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

/// One unit on its way into a group.
package final class GroupUnit: Sendable {
    package let unit: WorkUnit
    /// When it came in, which may be long ago if it was spooled; no other live unit of the process has
    /// this time, and units that came later have later ones.
    package let receivedAt: Timestamp
    /// It comes from the spool: whoever sent it has been told that it is safe, so it can't be
    /// refused any more, only set aside.
    package let isReplayed: Bool
    /// It comes from the spool, or its COMMIT was sent before and not answered: another version may
    /// have been acknowledged since.
    package let isLate: Bool
    /// Why it is set aside instead of recorded; nil: it is not.
    package let refusal: UnitRefusal?

    init(
        _ unit: WorkUnit, receivedAt: Timestamp, isReplayed: Bool = false, isLate: Bool = false,
        refusal: UnitRefusal? = nil
    ) {
        self.unit = unit
        self.receivedAt = receivedAt
        self.isReplayed = isReplayed
        self.isLate = isReplayed || isLate
        self.refusal = refusal
    }

    func refused(_ refusal: UnitRefusal) -> GroupUnit {
        GroupUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: isLate, refusal: refusal)
    }

    /// The same when it may have been committed already.
    func late() -> GroupUnit {
        GroupUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: true, refusal: refusal)
    }
}

/// Why a unit from the spool was set aside.
package struct UnitRefusal: Sendable {
    package enum Reason: String, Sendable {
        case refusedByDatabase = "refused_by_database"
    }

    package let reason: Reason
    /// nil: the database was not asked.
    package var sqlState: String?
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
