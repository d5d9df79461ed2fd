import Readings
import Scanning

/// A batch, taken apart into the pieces that the oracle follows.
struct Parts {
    /// A reading, the quarantine row that it becomes when the database refuses it, and its device's
    /// `key_check`.
    let readings: [(reading: Reading, refused: Quarantined, check: Int64)]
    let quarantined: [Quarantined]

    init(_ parcels: some Sequence<Parcel>) {
        var readings: [(Reading, Quarantined, Int64)] = []
        var quarantined: [Quarantined] = []
        for parcel in parcels {
            let key = parcel.key.value
            quarantined += parcel.quarantined.map { Quarantined(deviceKey: key, body: $0.body) }
            guard parcel.rowCount > 0 else { continue }
            let bodies = parcel.settingAsideAll(.refusedByDatabase).quarantined
                .dropFirst(parcel.quarantined.count)
            var rows: [Reading] = []
            for kind in ReadingKind.allCases {
                parcel.withRows(of: kind) { all in
                    let tuples = all.tuples.bytes
                    var start = 0
                    while start < tuples.count {
                        let end = TupleBuffer.tupleEnd(in: tuples, at: start)
                        rows.append(Reading(kind: kind, tuple: [UInt8](tuples[start..<end])))
                        start = end
                    }
                }
            }
            for (row, body) in zip(rows, bodies) {
                let refused = Quarantined(deviceKey: key, body: body.body)
                readings.append((row, refused, parcel.key.check))
            }
        }
        self.readings = readings
        self.quarantined = quarantined
    }

    var count: Int { readings.count + quarantined.count }
}
