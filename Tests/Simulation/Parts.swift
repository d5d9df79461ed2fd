import Readings
import Scanning

/// A batch taken apart into what the oracle follows.
struct Parts {
    /// A reading and the row of the quarantine that it becomes when the database refuses it.
    let readings: [(reading: Reading, refused: Quarantined)]
    let quarantined: [Quarantined]

    init(_ parcels: some Sequence<Parcel>) {
        var readings: [(Reading, Quarantined)] = []
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
                readings.append((row, Quarantined(deviceKey: key, body: body.body)))
            }
        }
        self.readings = readings
        self.quarantined = quarantined
    }

    var count: Int { readings.count + quarantined.count }
}
