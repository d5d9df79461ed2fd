import Instruments
import Postgres
import Readings
import Scanner

/// Commits groups of device batches and units, one transaction each: locks the devices and moves
/// their watermarks, leaves out what is stored, writes the rest.
///
/// It has at most one session, which leads to one destination. On plain PostgreSQL there is only
/// one; on Citus a lane keeps to one, unless it is the only lane or shards are moved. A session that
/// leads elsewhere, or to a server that was replaced, is never written to: it is closed, and another
/// one is opened.
///
/// Owned by its lane's loop. Knows nothing of retries, splitting or answers: it commits a group and
/// returns what became of each part, or throws.
struct GroupCommit<Outside: World> {
    private let lane: Int
    private let outside: Outside
    private let instruments: LaneInstruments
    /// nil: there is none.
    private(set) var session: Outside.Session?
    /// Where the session leads, or the last one did.
    private(set) var destination = Destination.database
    /// The counts of a group whose COMMIT may or may not have happened; nil once that is known.
    private(set) var countsInDoubt: [BatchCounts]?
    /// Devices whose rows the last group's claim could not change, though nobody has locked them.
    private(set) var unchanged: Set<Int64> = []
    /// The statements of units are being called: they know their own columns.
    private var isRecording = false
    /// Rounds of registering devices before such a row is believed.
    private static var roundsMax: Int { 4 }
    /// All keys of the device ids that were found to have several users, by each of the keys.
    private var families: [Int64: [Int64]] = [:]
    private static var familyKeysMax: Int { 10_000 }
    /// The codes of metrics' names, as far as groups have asked. Another server may give others.
    private var codes: [String: Int16] = [:]

    init(lane: Int, outside: Outside, instruments: LaneInstruments) {
        self.lane = lane
        self.outside = outside
        self.instruments = instruments
    }

    /// There is a session, but it can't be used any more. Asked while it is idle.
    var isStale: Bool {
        guard let session else { return false }
        return session.isOutdated || !session.probe()
    }

    /// Returns the session that leads there, or opens one.
    ///
    /// - Parameter deadline: for opening.
    @discardableResult
    mutating func open(
        to destination: Destination, by deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Outside.Session {
        if let session, destination == self.destination, !session.isOutdated { return session }
        close()
        self.destination = destination
        let session: Outside.Session
        do throws(PostgresError) {
            session = try outside.openSession(lane: lane, to: destination, deadline: deadline)
        } catch {
            // Whatever the reason, no row is to blame, and a later attempt may succeed.
            let code = error.sqlState.map { "\($0) " } ?? ""
            throw PostgresError(.connectionFailed, message: code + error.reason)
        }
        self.session = session
        instruments.connectionsOpened.increment()
        return session
    }

    /// Nothing is in doubt without a session.
    mutating func close() {
        session?.close()
        session = nil
        countsInDoubt = nil
        unchanged = []
        families = [:]
        codes = [:]
    }

    /// Stores a group.
    ///
    /// - Parameters:
    ///   - session: the one that was opened last.
    ///   - deadline: when the attempt times out and the session is closed.
    /// - Throws: when nothing was stored, or, if the connection was lost, when that is not known.
    mutating func commit(
        _ group: Group, on session: Outside.Session, by deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Group.Result {
        session.deadline = deadline
        countsInDoubt = nil
        unchanged = []
        isRecording = false
        let result: Group.Result
        do throws(PostgresError) {
            result = try write(group, on: session)
        } catch {
            // A group that the server refused was not committed.
            if session.isOpen || error.kind == .refused { countsInDoubt = nil }
            if session.isOpen { try session.rollback() }
            throw !isRecording && Self.isOfTable(error) ? error.ofTable : error
        }
        guard !session.isOutdated else {
            // Committed by a server that another one has replaced meanwhile.
            close()
            throw PostgresError(.connectionLost, message: "another server has taken over")
        }
        return result
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

    private mutating func write(
        _ group: Group, on session: Outside.Session
    ) throws(PostgresError) -> Group.Result {
        var (changes, counts) = (GroupChanges(), [BatchCounts]())
        if !group.deviceBatches.isEmpty {
            (changes, counts) = try claim(resolve(group.deviceBatches, on: session), on: session)
        }
        isRecording = true
        let results =
            group.units.isEmpty
            ? []
            : try write(group.units, on: session, begins: group.deviceBatches.isEmpty)
        isRecording = false
        countsInDoubt = counts
        try session.commit(changes)
        countsInDoubt = nil
        return Group.Result(counts: counts, results: results)
    }

    // MARK: Readings

    /// Gives metrics that have names their codes.
    ///
    /// - Complexity: a round trip if the session does not know a name; on Citus, where only the
    ///   coordinator gives codes, a connection.
    private mutating func resolve(
        _ group: [ReceivedDeviceBatch], on session: Outside.Session
    ) throws(PostgresError) -> [ReceivedDeviceBatch] {
        guard group.contains(where: \.deviceBatch.hasMetricNames) else { return group }
        var unknown: [String: Set<String>] = [:]
        for entry in group {
            for name in entry.deviceBatch.metricNames where codes[name] == nil {
                unknown[entry.keyName, default: []].insert(name)
            }
        }
        if !unknown.isEmpty { codes.merge(try ask(unknown, on: session)) { $1 } }
        return group.map { entry in
            guard entry.deviceBatch.hasMetricNames else { return entry }
            return entry.with(entry.deviceBatch.resolved { codes[$0] })
        }
    }

    private func ask(
        _ names: [String: Set<String>], on session: Outside.Session
    ) throws(PostgresError) -> [String: Int16] {
        do throws(PostgresError) {
            guard destination.isOfShards else { return try session.codes(of: names) }
            let coordinator = try outside.openSession(
                lane: lane, to: .coordinator, deadline: session.deadline)
            defer { coordinator.close() }
            coordinator.deadline = session.deadline
            return try coordinator.codes(of: names)
        } catch {
            // No reading is the cause: an operator has just used the same code, or a trigger refuses
            // names.
            guard error.failureClass == .poison else { throw error }
            throw PostgresError(
                .refused, sqlState: .serializationFailure, message: error.message)
        }
    }

    /// Begins a transaction, claims the devices and decides what is written of their batches.
    ///
    /// Readings that name no device claim none: they are quarantined.
    private mutating func claim(
        _ group: [ReceivedDeviceBatch], on session: Outside.Session
    ) throws(PostgresError) -> (GroupChanges, [BatchCounts]) {
        let nameless = group.indices.filter { group[$0].deviceBatch.isNameless }
        guard !nameless.isEmpty else { return try claim(named: group, on: session) }
        var (changes, counts) = try claim(
            named: group.filter { !$0.deviceBatch.isNameless }, on: session)
        for place in nameless {
            let quarantined = group[place].deviceBatch.quarantined.count
            counts.insert(BatchCounts(quarantined: quarantined), at: place)
        }
        changes.quarantined += Self.quarantined(nameless.map { group[$0] })
        return (changes, counts)
    }

    private mutating func claim(
        named given: [ReceivedDeviceBatch], on session: Outside.Session
    ) throws(PostgresError) -> (GroupChanges, [BatchCounts]) {
        var group = given
        let (claims, placeOfBatch) = Claim.all(of: group)
        let (previousWatermarks, families) = try hold(claims, on: session)
        // A device id whose key belongs to another: none of its readings may be stored under it.
        var clashing: Set<Int> = []
        for (place, claim) in claims.enumerated()
        where previousWatermarks[place].keyCheck != claim.key.check {
            clashing.insert(place)
        }
        if !clashing.isEmpty {
            for index in group.indices where clashing.contains(placeOfBatch[index]) {
                group[index] = group[index].with(
                    group[index].deviceBatch.settingAsideAll(.deviceKeyClash))
            }
        }

        let deviceBatches = group.map(\.deviceBatch)
        var deduplication = Deduplication(
            deviceBatches, placeOfBatch: placeOfBatch, previousWatermarks: previousWatermarks,
            families: families)
        if deduplication.hasSuspects {
            let spans = ByKind<[Deduplication.Span]> { deduplication.spans(of: $0) }
            var stored = ByKind(repeating: TupleSet())
            try session.read(spans, into: &stored)
            for kind in ReadingKind.allCases {
                deduplication.decide(kind, stored: &stored[kind])
            }
        }
        let counts = Self.count(deviceBatches, deduplication)
        var changes = GroupChanges()
        changes.corrections = Self.corrections(
            claims.indices.filter { !clashing.contains($0) }, claims, placeOfBatch, counts)
        if !families.isEmpty {
            changes.lowered = Self.lowered(
                claims, previousWatermarks, families, deduplication, deviceBatches, placeOfBatch)
        }
        changes.late = deduplication.late.filter { $0.count > 0 }
        changes.attributes = claims.indices.filter { previousWatermarks[$0].hasNewAttributes }.map {
            claims[$0]
        }
        changes.quarantined = Self.quarantined(group)
        changes.rows = Self.rows(deviceBatches, deduplication)
        for (index, deviceBatch) in deviceBatches.enumerated() {
            changes.due.add(
                deviceBatch, { deduplication.verdict(of: index, $0) },
                previousWatermarks[placeOfBatch[index]])
        }
        return (changes, counts)
    }

    /// Begins, registers new devices and locks the rows of all, and those of other users of the
    /// same device ids.
    ///
    /// Every writer locks rows in key order, so writers may queue but never deadlock. An INSERT
    /// also waits for a transaction that has just changed the row it finds. So a transaction that
    /// finds devices missing is rolled back, and the next one registers them first. It registers
    /// all that were ever missing, because the rollback undid earlier registrations. Devices that
    /// are erased meanwhile can cost further rounds. A device that is still missing after
    /// ``roundsMax`` of them has a row that a trigger does not let be changed, or be made.
    ///
    /// A transaction that finds other users is rolled back too, and the next one locks all rows at
    /// once. The writer remembers them, so that later groups do not lose a round. One that
    /// registers a user of a device id that has others is also rolled back: only the next one can
    /// tell all their rows of one another.
    ///
    /// A device whose key belongs to another has no row to lock. It gets the other's `keyCheck`,
    /// and the claim has changed nothing for it. That it is not new is only known when it could not
    /// be registered, and then the next transaction does not try. If two such devices are new, the
    /// first is registered.
    ///
    /// - Complexity: a round is a round trip; one, and two for new devices.
    private mutating func hold(
        _ claims: [Claim], on session: Outside.Session
    ) throws(PostgresError) -> ([Claim.Previous], Families) {
        var request = Claim.Request(claims)
        request.siblings = knownSiblings(of: claims)
        var isMissing = [Bool](repeating: false, count: claims.count)
        var rounds = 0
        while true {
            request.registered = []
            for (place, claim) in claims.enumerated()
            where isMissing[place] && request.registered.last?.key.value != claim.key.value {
                request.registered.append(claim)
            }
            if request.registered.isEmpty { request.families = [] }
            let rows = try session.begin(request)
            guard rows.unchanged.isEmpty else {
                unchanged = rows.unchanged.intersection(claims.lazy.map(\.key.value))
                throw PostgresError(.rowUnchanged)
            }
            func isClaimed(_ claim: Claim) -> Bool {
                rows.previousWatermarks[claim.key.value]?.keyCheck == claim.key.check
            }
            var previousWatermarks = claims.map { claim in
                isClaimed(claim) ? rows.previousWatermarks[claim.key.value] : nil
            }
            if rounds > 0, previousWatermarks.contains(where: { $0 == nil }) {
                try findOthers(claims, &previousWatermarks, on: session)
            }
            for (place, claim) in claims.enumerated() where !isClaimed(claim) {
                isMissing[place] = previousWatermarks[place] == nil
            }
            let held = previousWatermarks.compactMap { $0 }
            var others: Set<Int64> = []
            if held.contains(where: { !$0.family.isEmpty }) {
                // A claim of another device's key holds no row.
                others = Self.siblings(held.lazy.map(\.family), of: claims.filter(isClaimed))
            }
            let isSettled =
                request.registered.allSatisfy(isClaimed)
                && Set(rows.families) == Set(request.families)
            remember(held)
            if held.count == claims.count, isSettled, others.isSubset(of: request.siblings) {
                return (held, Families(claims, held, siblings: rows.siblings))
            }
            request.families = rows.families
            request.siblings.formUnion(others.union(rows.families.joined()))
            guard rounds < Self.roundsMax else {
                guard held.count < claims.count else {
                    // Its device ids got more and more users meanwhile.
                    throw PostgresError(.refused, sqlState: .serializationFailure)
                }
                unchanged = Set(
                    claims.indices.lazy.filter { previousWatermarks[$0] == nil }.map {
                        claims[$0].key.value
                    })
                throw PostgresError(.rowUnchanged)
            }
            rounds += 1
        }
    }

    private func knownSiblings(of claims: [Claim]) -> Set<Int64> {
        families.isEmpty
            ? [] : Self.siblings(claims.compactMap { families[$0.key.value] }, of: claims)
    }

    /// The keys of these families that are not claimed.
    private static func siblings(
        _ families: some Sequence<[Int64]>, of claims: [Claim]
    ) -> Set<Int64> {
        let all = Set(families.joined())
        return all.isEmpty ? all : all.subtracting(claims.lazy.map(\.key.value))
    }

    private mutating func remember(_ previousWatermarks: [Claim.Previous]) {
        for holding in previousWatermarks where !holding.family.isEmpty {
            for key in holding.family { families[key] = holding.family }
        }
        if families.count > Self.familyKeysMax { families = [:] }
    }

    /// Tells devices whose key belongs to another device from new ones.
    private func findOthers(
        _ claims: [Claim], _ previousWatermarks: inout [Claim.Previous?],
        on session: Outside.Session
    ) throws(PostgresError) {
        let places = claims.indices.filter { previousWatermarks[$0] == nil }
        let owners = try session.owners(of: places.map { claims[$0].key.value })
        for place in places {
            let key = claims[place].key
            // The device itself, if somebody has registered it since the claim.
            guard let owner = owners[key.value], owner != key.check else { continue }
            previousWatermarks[place] = .ofAnother(keyCheck: owner)
        }
    }

    private static func count(_ deviceBatches: [DeviceBatch], _ deduplication: Deduplication)
        -> [BatchCounts]
    {
        deviceBatches.enumerated().map { index, deviceBatch in
            var counts = BatchCounts(
                quarantined: deviceBatch.quarantined.count, refusals: LaneRefusals(deviceBatch))
            for kind in ReadingKind.allCases {
                let rows = deviceBatch.summary(of: kind).count
                switch deduplication.verdict(of: index, kind) {
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

    /// The claim counted every row as stored; these are to be subtracted.
    ///
    /// - Parameter held: places of the claims that have a row.
    private static func corrections(
        _ held: [Int], _ claims: [Claim], _ placeOfBatch: [Int], _ counts: [BatchCounts]
    ) -> [GroupChanges.CountCorrection] {
        var stored = [Int64](repeating: 0, count: claims.count)
        for (index, place) in placeOfBatch.enumerated() {
            stored[place] += Int64(counts[index].stored)
        }
        return held.filter { stored[$0] != claims[$0].rowCount }.map {
            GroupChanges.CountCorrection(
                deviceKey: claims[$0].key.value, readings: claims[$0].rowCount - stored[$0])
        }
    }

    /// The claim moved each watermark to the newest reading of its batches; that one may be another
    /// user's already. Then it is moved back to the newest that the device's own user has.
    private static func lowered(
        _ claims: [Claim], _ previousWatermarks: [Claim.Previous], _ families: Families,
        _ deduplication: Deduplication,
        _ deviceBatches: [DeviceBatch], _ placeOfBatch: [Int]
    ) -> [GroupChanges.OwnWatermarks] {
        var own = previousWatermarks.map(\.watermarks)
        for (index, place) in placeOfBatch.enumerated() {
            for kind in ReadingKind.allCases {
                own[place][kind] = max(
                    own[place][kind], deduplication.newest(of: deviceBatches[index], index, kind))
            }
        }
        return claims.indices.filter { place in
            families.place(of: claims[place].key.value) != nil
                && previousWatermarks[place].keyCheck == claims[place].key.check
                && ReadingKind.allCases.contains {
                    own[place][$0] < claims[place].newest[$0] ?? .min
                }
        }.map { GroupChanges.OwnWatermarks(deviceKey: claims[$0].key.value, newest: own[$0]) }
    }

    private static func quarantined(_ group: [ReceivedDeviceBatch]) -> [GroupChanges.Quarantined] {
        group.flatMap { entry in
            entry.deviceBatch.quarantined.map { reading in
                GroupChanges.Quarantined(
                    deviceKey: entry.deviceBatch.key.value, deviceID: entry.deviceBatch.deviceID,
                    userID: entry.deviceBatch.userID,
                    keyName: entry.keyName, receivedAt: entry.receivedAt, reading: reading)
            }
        }
    }

    /// The rows to be stored by kind; kinds without any are left out.
    private static func rows(
        _ deviceBatches: [DeviceBatch], _ deduplication: Deduplication
    ) -> [GroupChanges.Rows] {
        ReadingKind.allCases.compactMap { kind in
            let parts = deviceBatches.enumerated().compactMap {
                index, deviceBatch -> (deviceBatch: DeviceBatch, verdict: Deduplication.Verdict)? in
                let verdict = deduplication.verdict(of: index, kind)
                let rows =
                    switch verdict {
                    case .all: deviceBatch.summary(of: kind).count
                    case .some(_, let kept): kept
                    }
                return rows > 0 ? (deviceBatch, verdict) : nil
            }
            return parts.isEmpty ? nil : GroupChanges.Rows(kind: kind, parts: parts)
        }
    }

    // MARK: Units

    /// Calls each kind's statement once. All writers process kinds and owners in the same order, so
    /// they don't deadlock. A unit from the spool whose request had another one's key is rejected in
    /// the same transaction, because its sender was told that it is safe.
    ///
    /// - Parameter begins: there is no transaction yet.
    private func write(
        _ units: [ReceivedUnit], on session: Outside.Session, begins: Bool
    ) throws(PostgresError) -> [ReceivedUnit.Result] {
        var results = units.map { $0.refusal.map(ReceivedUnit.Result.setAside) ?? .recorded("") }
        var rejected = units.filter { $0.refusal != nil }
        var begins = begins
        let recorded = units.indices.filter { units[$0].refusal == nil }
        let kinds = Set(recorded.map { units[$0].unit.kind }).sorted { $0.name < $1.name }
        for kind in kinds {
            let places = recorded.filter { units[$0].unit.kind == kind }.sorted {
                (units[$0].unit.route, $0) < (units[$1].unit.route, $1)
            }
            let recordedResults = try session.record(kind, places.map { units[$0] }, begins: begins)
            begins = false
            for (place, result) in zip(places, recordedResults) {
                if result == IdempotencyKey.different, units[place].isReplayed {
                    results[place] = .setAside(.keyReused)
                    rejected.append(units[place].refused(.keyReused))
                } else {
                    results[place] = .recorded(result)
                }
            }
        }
        if !rejected.isEmpty { try session.setAside(rejected, begins: begins) }
        return results
    }
}
