import Readings
import Scanning

/// What a group adds to the sums by minute: rows for `sluice.vital_rollup` and `sluice.gps_rollup`,
/// and the devices of which positions came late.
///
/// Made from what `Sifting` lets through, so that a duplicate is counted nowhere. Measurements are
/// summed up whenever they come. The way from one position to the next is added where the device's
/// newest position is known and all of the group's are newer; else the database takes the device's
/// minutes from its rows, behind the COPY and in the same transaction. A minute of a device is one
/// row of each table, whatever codes it has: rows and their places in the index are what costs.
package struct Rollups {
    /// A stretch of a device's positions of which some came late.
    package struct LateTrack: Equatable {
        package let deviceKey: Int64
        /// Microseconds since 2000, both inclusive.
        package let first: Int64
        package let last: Int64
    }

    /// COPY tuples of `sluice.vital_rollup`.
    package private(set) var vital = RollupTuples()
    /// COPY tuples of `sluice.gps_rollup`.
    package private(set) var gps = RollupTuples()
    package private(set) var lateTracks: [LateTrack] = []

    /// - Parameters:
    ///   - placeOfParcel: the device of each parcel, as an index into `claims` and `holdings`.
    init(
        _ parcels: [Parcel], placeOfParcel: [Int], claims: [Claim], holdings: [Holding],
        sifting: Sifting
    ) {
        addVitals(parcels, placeOfParcel, sifting)
        addTracks(parcels, placeOfParcel, claims, holdings, sifting)
    }

    // MARK: Measurements

    private mutating func addVitals(
        _ parcels: [Parcel], _ placeOfParcel: [Int], _ sifting: Sifting
    ) {
        // All of a device together, so that a minute that is in several of its batches is one row.
        let order = parcels.indices.filter { parcels[$0].summary(of: .vital).count > 0 }
            .sorted { (placeOfParcel[$0], $0) < (placeOfParcel[$1], $1) }
        var tally = VitalTally()
        for (number, index) in order.enumerated() {
            let parcel = parcels[index]
            ReadingTuples.forEachVital(of: parcel, sifting.verdict(of: index, .vital)) {
                tally.add($0, $1, $2)
            }
            let next = number + 1
            if next < order.count, placeOfParcel[order[next]] == placeOfParcel[index] { continue }
            tally.forEachRow { minute, parts in
                vital.appendVital(key: parcel.key.value, minute: minute, parts)
            }
            tally.removeAll()
        }
    }

    // MARK: Positions

    private mutating func addTracks(
        _ parcels: [Parcel], _ placeOfParcel: [Int], _ claims: [Claim], _ holdings: [Holding],
        _ sifting: Sifting
    ) {
        var fixes: [[Fix]] = Array(repeating: [], count: claims.count)
        for (index, parcel) in parcels.enumerated() where parcel.summary(of: .gps).count > 0 {
            let place = placeOfParcel[index]
            fixes[place].reserveCapacity(fixes[place].count + parcel.summary(of: .gps).count)
            ReadingTuples.forEachFix(of: parcel, sifting.verdict(of: index, .gps)) {
                fixes[place].append($0)
            }
        }
        for (place, fixes) in fixes.enumerated() where !fixes.isEmpty {
            addTrack(fixes, of: claims[place].key.value, holdings[place])
        }
    }

    private mutating func addTrack(_ given: [Fix], of key: Int64, _ holding: Holding) {
        var fixes = given
        if zip(fixes, fixes.dropFirst()).contains(where: { $1 < $0 }) { fixes.sort() }
        let watermark = holding.watermarks[Int(ReadingKind.gps.rawValue)]
        let isFirst = watermark == .min
        guard fixes[0].time > watermark, isFirst || holding.newestFix != nil else {
            let last = fixes[fixes.count - 1].time
            lateTracks.append(LateTrack(deviceKey: key, first: fixes[0].time, last: last))
            return
        }
        var before = isFirst ? nil : holding.newestFix
        var (minute, readings, metres) = (Minute.beginning(of: fixes[0].time), 0 as Int32, 0.0)
        for fix in fixes {
            let own = Minute.beginning(of: fix.time)
            if own != minute {
                gps.appendGPS(key: key, minute: minute, readings: readings, metres: metres)
                (minute, readings, metres) = (own, 0, 0)
            }
            readings += 1
            metres += before?.metres(to: fix) ?? 0
            before = fix
        }
        gps.appendGPS(key: key, minute: minute, readings: readings, metres: metres)
    }
}
