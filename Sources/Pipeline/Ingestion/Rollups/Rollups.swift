import Glibc
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
        let watermark = holding.watermarks.gps
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

/// A position and its time, as far as distances ask.
package struct Fix: Equatable, Comparable {
    /// Microseconds since 2000.
    package var time: Int64
    /// Degrees.
    package var latitude: Double
    package var longitude: Double

    package init(time: Int64, latitude: Double, longitude: Double) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
    }

    /// By time; several of one time as `sluice.track_parts` has them.
    package static func < (left: Fix, right: Fix) -> Bool {
        (left.time, left.latitude, left.longitude)
            < (right.time, right.latitude, right.longitude)
    }

    /// The same as `sluice.metres_between`.
    ///
    /// - Source: haversine formula; the earth's mean radius is R1 of IUGG, 6371.0088 km.
    func metres(to other: Fix) -> Double {
        if latitude == other.latitude, longitude == other.longitude { return 0 }
        let radians = Double.pi / 180
        let sineLatitude = sin((other.latitude - latitude) * radians / 2)
        let sineLongitude = sin((other.longitude - longitude) * radians / 2)
        let square =
            sineLatitude * sineLatitude
            + cos(latitude * radians) * cos(other.latitude * radians)
            * sineLongitude * sineLongitude
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}

/// Sums up one device's measurements by minute and code.
struct VitalTally {
    /// A row of `sluice.vital_part`.
    struct Part: Equatable {
        let minute: Int64
        let code: Int16
        var readings: Int32
        var low: Double
        var high: Double
        var total: Double
        var lastTime: Int64
        var last: Double

        mutating func add(_ time: Int64, _ value: Double) {
            readings += 1
            low = min(low, value)
            high = max(high, value)
            total += value
            if (time, value) > (lastTime, last) { (lastTime, last) = (time, value) }
        }
    }

    private struct Name: Hashable {
        let minute: Int64
        let code: Int16
    }

    private(set) var parts: [Part] = []
    /// Places in `parts`; made once there are more of them than are looked through.
    private var places: [Name: Int] = [:]

    /// Readings come by time, so what a reading belongs to is nearly always among the last few.
    private static let lookedThroughMax = 12

    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    mutating func add(_ time: Int64, _ code: Int16, _ value: Double) {
        let minute = Minute.beginning(of: time)
        if let place = place(minute, code) {
            parts[place].add(time, value)
            return
        }
        parts.append(
            Part(
                minute: minute, code: code, readings: 1, low: value, high: value, total: value,
                lastTime: time, last: value))
        if parts.count > Self.lookedThroughMax { note() }
    }

    /// Calls `body` with what makes a row of `sluice.vital_rollup`: parts of one minute, at most
    /// ``partsOfRowMax`` of them.
    mutating func forEachRow(_ body: (_ minute: Int64, _ parts: ArraySlice<Part>) -> Void) {
        if zip(parts, parts.dropFirst()).contains(where: { $1.minute < $0.minute }) {
            parts.sort { ($0.minute, $0.code) < ($1.minute, $1.code) }
            // Places are not what they were.
            places.removeAll(keepingCapacity: true)
        }
        var start = 0
        while start < parts.count {
            let minute = parts[start].minute
            var end = start + 1
            while end < parts.count, end - start < Self.partsOfRowMax, parts[end].minute == minute {
                end += 1
            }
            body(minute, parts[start..<end])
            start = end
        }
    }

    /// A row has to stay below 2 KB, where PostgreSQL would begin to compress it and to move parts
    /// of it elsewhere.
    static let partsOfRowMax = 32

    private func place(_ minute: Int64, _ code: Int16) -> Int? {
        let start = max(0, parts.count - Self.lookedThroughMax)
        var place = parts.count
        while place > start {
            place -= 1
            if parts[place].minute == minute, parts[place].code == code { return place }
        }
        return start > 0 ? places[Name(minute: minute, code: code)] : nil
    }

    /// The part that is not among the last ones any more must be found by its name from now on.
    private mutating func note() {
        let place = parts.count - 1 - Self.lookedThroughMax
        places[Name(minute: parts[place].minute, code: parts[place].code)] = place
    }
}

/// Minutes of UTC.
enum Minute {
    static let microseconds: Int64 = 60_000_000

    /// Of a time before 2000 too.
    static func beginning(of time: Int64) -> Int64 {
        let rest = time % microseconds
        return time - rest - (rest < 0 ? microseconds : 0)
    }
}

/// The fields of tuples that rollups look at, read back from the bytes that go to COPY.
enum ReadingTuples {
    /// Calls `body` with every position that is to be stored.
    static func forEachFix(
        of parcel: Parcel, _ verdict: Sifting.Verdict, _ body: (Fix) -> Void
    ) {
        forEach(.gps, of: parcel, verdict) { tuples, start in
            body(
                Fix(
                    time: TupleBuffer.time(in: tuples, at: start),
                    latitude: float64(tuples, start + 30),
                    longitude: float64(tuples, start + 42)))
        }
    }

    /// Calls `body` with every measurement that is to be stored.
    static func forEachVital(
        of parcel: Parcel, _ verdict: Sifting.Verdict,
        _ body: (_ time: Int64, _ code: Int16, _ value: Double) -> Void
    ) {
        forEach(.vital, of: parcel, verdict) { tuples, start in
            body(
                TupleBuffer.time(in: tuples, at: start),
                Int16(bigEndian: tuples.loadUnaligned(fromByteOffset: start + 30, as: Int16.self)),
                float64(tuples, start + 36))
        }
    }

    private static func float64(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Double {
        Double(
            bitPattern: UInt64(
                bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }

    private static func forEach(
        _ kind: ReadingKind, of parcel: Parcel, _ verdict: Sifting.Verdict,
        _ body: (_ tuples: UnsafeRawBufferPointer, _ start: Int) -> Void
    ) {
        parcel.withRows(of: kind) { rows in
            let tuples = rows.tuples.bytes
            switch verdict {
            case .all: forEach(in: 0..<tuples.count, tuples, body)
            case .some(let ranges, _): for range in ranges { forEach(in: range, tuples, body) }
            }
        }
    }

    private static func forEach(
        in range: Range<Int>, _ tuples: UnsafeRawBufferPointer,
        _ body: (_ tuples: UnsafeRawBufferPointer, _ start: Int) -> Void
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            body(tuples, start)
            start = TupleBuffer.tupleEnd(in: tuples, at: start)
        }
    }
}
