import Postgres
import Readings
import Scanning

/// Writes groups of parcels and units, one transaction each, through one session.
///
/// Owned by its lane's loop. Knows nothing of retries, splitting or answers: it commits a group and
/// returns what became of each part, or throws.
struct GroupWriter<Session: GroupSession> {
    let session: Session
    /// The counts of a group whose COMMIT may or may not have happened; nil once that is known.
    private(set) var countsInDoubt: [GroupCounts]?
    /// Devices whose rows the last group's claim could not change, though nobody has locked them.
    private(set) var unchanged: Set<Int64> = []
    /// The statements of units are being called: they know their own columns.
    private var isRecording = false
    /// Rounds of registering devices before such a row is believed.
    private static var roundsMax: Int { 3 }

    init(_ session: Session) {
        self.session = session
    }

    /// Stores a group.
    ///
    /// - Returns: one entry for each parcel and each unit, in their order.
    /// - Throws: when nothing was stored, or, if the connection was lost, when that is not known.
    mutating func commit(_ group: Group) throws(PostgresError) -> GroupResult {
        countsInDoubt = nil
        unchanged = []
        isRecording = false
        do throws(PostgresError) {
            return try write(group)
        } catch {
            // A group that the server refused was not committed.
            if session.isOpen || error.kind == .refused { countsInDoubt = nil }
            if session.isOpen { try session.rollback() }
            throw !isRecording && Self.isOfTable(error) ? error.ofTable : error
        }
    }

    /// Whether a column must have a value that no reading has, because an operator has added it or
    /// the table is not one of readings.
    private static func isOfTable(_ error: PostgresError) -> Bool {
        guard let required = error.required else { return false }
        let kind = ReadingKind.allCases.first {
            required.table == $0.name || required.table.hasPrefix("\($0.name)_")
        }
        return kind?.schema.columns.contains {
            $0.replacing("\"", with: "") == required.column
        } != true
    }

    private mutating func write(_ group: Group) throws(PostgresError) -> GroupResult {
        var written = Written()
        if !group.parcels.isEmpty { written = try write(parcels: group.parcels) }
        isRecording = true
        let results =
            group.units.isEmpty
            ? [] : try write(units: group.units, begins: group.parcels.isEmpty)
        isRecording = false
        countsInDoubt = written.counts
        try session.copyAndCommit(written.copies, written.due)
        countsInDoubt = nil
        return GroupResult(counts: written.counts, results: results)
    }

    // MARK: Readings

    /// The parcels' part of a transaction, before the rows are copied.
    private struct Written {
        var counts: [GroupCounts] = []
        var copies: [GroupCopy] = []
        var due = DueHours()
    }

    private mutating func write(
        parcels given: [ReceivedParcel]
    ) throws(PostgresError) -> Written {
        var group = given
        let (claims, placeOfParcel) = Claim.all(of: group)
        let holdings = try hold(claims)
        // A device id whose key belongs to another: none of its readings may be stored under it.
        var clashing: Set<Int> = []
        for (place, claim) in claims.enumerated()
        where holdings[place].keyCheck != claim.key.check {
            clashing.insert(place)
        }
        if !clashing.isEmpty {
            for index in group.indices where clashing.contains(placeOfParcel[index]) {
                group[index] = group[index].with(
                    group[index].parcel.settingAsideAll(.deviceKeyClash))
            }
        }

        let parcels = group.map(\.parcel)
        var sifting = Sifting(parcels, placeOfParcel: placeOfParcel, holdings: holdings)
        if sifting.hasSuspects {
            for kind in ReadingKind.allCases {
                let spans = sifting.spans(of: kind)
                var stored = TupleSet()
                if !spans.isEmpty { try session.read(kind, in: spans, into: &stored) }
                sifting.decide(kind, stored: &stored)
            }
        }
        let counts = Self.count(parcels, sifting)
        try correct(claims.indices.filter { !clashing.contains($0) }, claims, placeOfParcel, counts)
        let late = sifting.late.filter { $0.count > 0 }
        if !late.isEmpty { try session.note(late) }
        let changed = claims.indices.lazy.filter { holdings[$0].saysNew }.map { claims[$0] }
        if !changed.isEmpty { try session.updateAttributes(Array(changed)) }
        try quarantine(group)
        let copies = Self.copies(parcels, sifting)
        var due = DueHours()
        for (index, parcel) in parcels.enumerated() {
            due.add(
                parcel, { sifting.verdict(of: index, $0) }, holdings[placeOfParcel[index]])
        }
        return Written(counts: counts, copies: copies, due: due)
    }

    /// Begins, registers new devices and locks the rows of all.
    ///
    /// Every writer locks rows in key order, so writers may queue but never deadlock. An INSERT
    /// also waits for a transaction that has just changed the row it finds. So a transaction that
    /// finds devices missing is rolled back, and the next one registers them first. It registers
    /// all that were ever missing, because the rollback undid earlier registrations. Devices that
    /// are erased meanwhile can cost further rounds. A device that is still missing after
    /// ``roundsMax`` of them has a row that a trigger does not let be changed, or be made.
    ///
    /// A device whose key belongs to another has no row to lock. It gets the other's `keyCheck`,
    /// and the claim has changed nothing for it. If two such devices are new, the first is
    /// registered.
    private mutating func hold(_ claims: [Claim]) throws(PostgresError) -> [Holding] {
        var found: [Int64: Holding] = [:]
        found.reserveCapacity(claims.count)
        try session.begin(claiming: claims, into: &found)
        var isMissing = [Bool](repeating: false, count: claims.count)
        var rounds = 0
        while true {
            var holdings = claims.map { claim in
                found[claim.key.value].flatMap { $0.keyCheck == claim.key.check ? $0 : nil }
            }
            if holdings.contains(where: { $0 == nil }) { try findOthers(claims, &holdings) }
            for place in claims.indices where holdings[place] == nil { isMissing[place] = true }
            let held = holdings.compactMap { $0 }
            if held.count == claims.count { return held }
            guard rounds < Self.roundsMax else {
                unchanged = Set(
                    claims.indices.lazy.filter { holdings[$0] == nil }.map { claims[$0].key.value })
                throw PostgresError(.rowUnchanged)
            }
            rounds += 1
            var missing: [Claim] = []
            for (place, claim) in claims.enumerated()
            where isMissing[place] && missing.last?.key.value != claim.key.value {
                missing.append(claim)
            }
            try session.rollback()
            found.removeAll(keepingCapacity: true)
            try session.begin(registering: missing, claiming: claims, into: &found)
        }
    }

    /// Tells devices whose key belongs to another device from new ones.
    private func findOthers(
        _ claims: [Claim], _ holdings: inout [Holding?]
    ) throws(PostgresError) {
        let places = claims.indices.filter { holdings[$0] == nil }
        let owners = try session.owners(of: places.map { claims[$0].key.value })
        for place in places {
            let key = claims[place].key
            // The device itself, if somebody has registered it since the claim.
            guard let owner = owners[key.value], owner != key.check else { continue }
            holdings[place] = .ofAnother(keyCheck: owner)
        }
    }

    private static func count(_ parcels: [Parcel], _ sifting: Sifting) -> [GroupCounts] {
        parcels.enumerated().map { index, parcel in
            var counts = GroupCounts(
                quarantined: parcel.quarantined.count, refusals: LaneRefusals(parcel))
            for kind in ReadingKind.allCases {
                let rows = parcel.summary(of: kind).count
                switch sifting.verdict(of: index, kind) {
                case .all:
                    counts.stored += rows
                case .some(_, let kept):
                    counts.stored += kept
                    counts.duplicates += rows - kept
                }
            }
            return counts
        }
    }

    /// The claim counted every row as stored; this subtracts those that are not.
    ///
    /// - Parameter held: places of the claims that have a row.
    private func correct(
        _ held: [Int], _ claims: [Claim], _ placeOfParcel: [Int], _ counts: [GroupCounts]
    ) throws(PostgresError) {
        var stored = [Int64](repeating: 0, count: claims.count)
        for (index, place) in placeOfParcel.enumerated() {
            stored[place] += Int64(counts[index].stored)
        }
        let corrections = held.filter { stored[$0] != claims[$0].rowCount }.map {
            CountCorrection(
                deviceKey: claims[$0].key.value, readings: claims[$0].rowCount - stored[$0])
        }
        if !corrections.isEmpty { try session.subtract(corrections) }
    }

    private func quarantine(_ group: [ReceivedParcel]) throws(PostgresError) {
        let readings = group.flatMap { entry in
            entry.parcel.quarantined.map { reading in
                GroupQuarantined(
                    deviceKey: entry.parcel.key.value, deviceID: entry.parcel.deviceID,
                    keyName: entry.keyName, receivedAt: entry.receivedAt, reading: reading)
            }
        }
        if !readings.isEmpty { try session.quarantine(readings) }
    }

    /// The rows to be stored by kind; kinds without any are left out.
    private static func copies(_ parcels: [Parcel], _ sifting: Sifting) -> [GroupCopy] {
        ReadingKind.allCases.compactMap { kind in
            let parts = parcels.enumerated().compactMap {
                index, parcel -> (parcel: Parcel, verdict: Sifting.Verdict)? in
                let verdict = sifting.verdict(of: index, kind)
                let rows =
                    switch verdict {
                    case .all: parcel.summary(of: kind).count
                    case .some(_, let kept): kept
                    }
                return rows > 0 ? (parcel, verdict) : nil
            }
            return parts.isEmpty ? nil : GroupCopy(kind: kind, parts: parts)
        }
    }

    // MARK: Units

    /// Calls each kind's statement once. All writers process kinds and owners in the same order, so
    /// they don't deadlock.
    ///
    /// - Parameter begins: there is no transaction yet.
    private func write(
        units: [ReceivedUnit], begins: Bool
    ) throws(PostgresError) -> [String?] {
        var results = [String?](repeating: nil, count: units.count)
        var begins = begins
        let recorded = units.indices.filter { units[$0].refusal == nil }
        let kinds = Set(recorded.map { units[$0].unit.kind }).sorted { $0.name < $1.name }
        for kind in kinds {
            let places = recorded.filter { units[$0].unit.kind == kind }.sorted {
                (units[$0].unit.route, $0) < (units[$1].unit.route, $1)
            }
            let told = try session.record(kind, places.map { units[$0] }, begins: begins)
            begins = false
            for (place, result) in zip(places, told) { results[place] = result }
        }
        if recorded.count < units.count {
            try session.setAside(units.filter { $0.refusal != nil }, begins: begins)
        }
        return results
    }
}
