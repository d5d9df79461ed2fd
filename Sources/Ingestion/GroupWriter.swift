import Postgres
import Readings
import Scanning

/// Writes groups of parcels, one transaction each, over one connection.
///
/// Owned by its lane's queue. Knows nothing of retries, splitting or answers: it commits a group
/// and says what became of each parcel, or throws and has changed nothing.
final class GroupWriter {
    /// One parcel to be written.
    struct Entry {
        let parcel: Parcel
        let keyName: String
    }

    /// What became of one parcel; the three add up to its readings.
    struct Counts: Equatable {
        var stored = 0
        var duplicates = 0
        var quarantined = 0

        static func + (left: Counts, right: Counts) -> Counts {
            Counts(
                stored: left.stored + right.stored,
                duplicates: left.duplicates + right.duplicates,
                quarantined: left.quarantined + right.quarantined)
        }
    }

    let connection: Connection
    /// What a group would have got whose COMMIT may or may not have happened; nil once it is
    /// known.
    private(set) var countsInDoubt: [Counts]?
    private var parameters = Parameters()
    private var days = KnownDays()
    /// What was last written to `device`, so that an unchanged device costs no statement.
    private var attributes: [Int64: DeviceAttributes] = [:]
    private static let attributesMax = 50_000

    /// Prepares what every group needs.
    init(_ connection: Connection) throws(PostgresError) {
        self.connection = connection
        try connection.prepare(
            ClaimStatements.claimName, ClaimStatements.claim, types: ClaimStatements.claimTypes)
    }

    /// Stores a group.
    ///
    /// - Returns: one entry for each parcel, in their order.
    /// - Throws: when nothing was stored, or, if the connection was lost, when that is not known.
    func commit(_ group: [Entry]) throws(PostgresError) -> [Counts] {
        let parcels = group.map(\.parcel)
        countsInDoubt = nil
        try days.ensure(parcels, connection)
        do throws(PostgresError) {
            return try write(group, parcels)
        } catch {
            if error.failureClass == .partitionMissing { days.forget() }
            if connection.isOpen {
                countsInDoubt = nil
                try connection.rollback()
            }
            throw error
        }
    }

    private func write(
        _ group: [Entry], _ parcels: [Parcel]
    ) throws(PostgresError) -> [Counts] {
        let (claims, placeOfParcel) = Claim.all(of: parcels)
        let holdings = try hold(claims)
        // A device id whose key belongs to another: none of its readings may be stored under it.
        var clashing: Set<Int> = []
        for (place, claim) in claims.enumerated()
        where holdings[place].keyCheck != claim.key.check {
            clashing.insert(place)
        }
        var group = group
        var parcels = parcels
        if !clashing.isEmpty {
            for index in group.indices where clashing.contains(placeOfParcel[index]) {
                parcels[index] = parcels[index].settingAsideAll(.deviceKeyClash)
                group[index] = Entry(parcel: parcels[index], keyName: group[index].keyName)
            }
        }

        var sifting = Sifting(parcels, placeOfParcel: placeOfParcel, holdings: holdings)
        if sifting.hasSuspects {
            for kind in ReadingKind.allCases {
                var stored = TupleSet()
                try StoredRows.read(kind, sifting.spans(of: kind), connection, into: &stored)
                sifting.decide(kind, stored: &stored)
            }
        }
        let counts = Self.count(parcels, sifting)
        try correct(claims, placeOfParcel, counts)
        let changed = try updateAttributes(
            claims.enumerated().lazy.filter { !clashing.contains($0.offset) }.map(\.element))
        try quarantine(group)
        countsInDoubt = counts
        try copy(parcels, sifting)
        countsInDoubt = nil
        remember(changed)
        return counts
    }

    // MARK: Steps of a transaction

    /// Begins, locks the devices' rows and registers new devices.
    private func hold(_ claims: [Claim]) throws(PostgresError) -> [Holding] {
        var found: [Int64: Holding] = [:]
        found.reserveCapacity(claims.count)
        ClaimStatements.claimParameters(claims, into: &parameters)
        let rows = try connection.begin(thenPrepared: ClaimStatements.claimName, parameters)
        ClaimStatements.holdings(rows, into: &found)
        let missing = claims.filter { found[$0.key.value] == nil }
        if !missing.isEmpty {
            try register(missing)
            ClaimStatements.claimParameters(missing, into: &parameters)
            let rows = try connection.query(prepared: ClaimStatements.claimName, parameters)
            ClaimStatements.holdings(rows, into: &found)
        }
        return claims.map { claim in
            guard let holding = found[claim.key.value] else {
                preconditionFailure("BUG: device \(claim.key.value) has no row after registration")
            }
            return holding
        }
    }

    private func register(_ missing: [Claim]) throws(PostgresError) {
        parameters.removeAll()
        parameters.append(int8s: missing.lazy.map(\.key.value))
        parameters.append(texts: missing.lazy.map { $0.deviceID })
        parameters.append(texts: missing.lazy.map(\.userID))
        parameters.append(texts: missing.lazy.map(\.modelName))
        parameters.append(texts: missing.lazy.map(\.version))
        try connection.query(ClaimStatements.registerDevices, parameters)
        parameters.removeAll()
        parameters.append(int8s: missing.lazy.map(\.key.value))
        parameters.append(int8s: missing.lazy.map(\.key.check))
        try connection.query(ClaimStatements.registerStates, parameters)
    }

    private static func count(_ parcels: [Parcel], _ sifting: Sifting) -> [Counts] {
        parcels.enumerated().map { index, parcel in
            var counts = Counts(quarantined: parcel.quarantined.count)
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

    /// The claim counted every row as stored; takes back what was not.
    private func correct(
        _ claims: [Claim], _ placeOfParcel: [Int], _ counts: [Counts]
    ) throws(PostgresError) {
        var stored = [Int64](repeating: 0, count: claims.count)
        for (index, place) in placeOfParcel.enumerated() {
            stored[place] += Int64(counts[index].stored)
        }
        let wrong = claims.indices.filter { stored[$0] != claims[$0].rowCount }
        guard !wrong.isEmpty else { return }
        parameters.removeAll()
        parameters.append(int8s: wrong.lazy.map { claims[$0].key.value })
        parameters.append(int8s: wrong.lazy.map { claims[$0].rowCount - stored[$0] })
        try connection.query(ClaimStatements.subtractDuplicates, parameters)
    }

    private func updateAttributes(
        _ claims: some Sequence<Claim>
    ) throws(PostgresError) -> [Claim] {
        let none = DeviceAttributes(userID: nil, modelName: nil, version: nil)
        let changed = claims.filter {
            $0.attributes != none && attributes[$0.key.value] != $0.attributes
        }
        guard !changed.isEmpty else { return [] }
        parameters.removeAll()
        parameters.append(int8s: changed.lazy.map(\.key.value))
        parameters.append(texts: changed.lazy.map(\.userID))
        parameters.append(texts: changed.lazy.map(\.modelName))
        parameters.append(texts: changed.lazy.map(\.version))
        try connection.query(ClaimStatements.updateAttributes, parameters)
        return changed
    }

    private func remember(_ changed: [Claim]) {
        if attributes.count + changed.count > Self.attributesMax { attributes.removeAll() }
        for claim in changed { attributes[claim.key.value] = claim.attributes }
    }

    private func quarantine(_ group: [Entry]) throws(PostgresError) {
        let readings = group.flatMap { entry in
            entry.parcel.quarantined.map { (entry: entry, reading: $0) }
        }
        guard !readings.isEmpty else { return }
        parameters.removeAll()
        parameters.append(int8s: readings.lazy.map(\.entry.parcel.key.value))
        parameters.append(texts: readings.lazy.map { $0.entry.parcel.deviceID })
        parameters.append(texts: readings.lazy.map { $0.reading.reason.rawValue })
        parameters.append(byteas: readings.lazy.map { $0.reading.body })
        parameters.append(int4s: readings.lazy.map { Int32(clamping: $0.reading.index) })
        parameters.append(texts: readings.lazy.map { $0.entry.keyName })
        try connection.query(ClaimStatements.quarantine, parameters)
    }

    /// The rows and the COMMIT.
    private func copy(_ parcels: [Parcel], _ sifting: Sifting) throws(PostgresError) {
        let kinds = ReadingKind.allCases.filter { kind in
            parcels.indices.contains { index in
                switch sifting.verdict(of: index, kind) {
                case .all: parcels[index].summary(of: kind).count > 0
                case .some(_, let kept): kept > 0
                }
            }
        }
        guard !kinds.isEmpty else { return try connection.commit() }
        let statements = kinds.map { "COPY sluice.\($0.name) FROM STDIN (FORMAT binary); " }
        try connection.copy(statements.joined() + "COMMIT") {
            number, writer throws(PostgresError) in
            for index in parcels.indices {
                try Self.write(
                    parcels[index], kinds[number], sifting.verdict(of: index, kinds[number]),
                    &writer)
            }
        }
    }

    private static func write(
        _ parcel: Parcel, _ kind: ReadingKind, _ verdict: Sifting.Verdict,
        _ writer: inout CopyWriter
    ) throws(PostgresError) {
        var failure: PostgresError?
        parcel.withRows(of: kind) { rows in
            let tuples = rows.tuples.bytes
            do throws(PostgresError) {
                switch verdict {
                case .all:
                    if tuples.count > 0 { try writer.write(tuples) }
                case .some(let ranges, _):
                    for range in ranges {
                        try writer.write(UnsafeRawBufferPointer(rebasing: tuples[range]))
                    }
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
